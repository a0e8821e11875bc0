// The theme that was chosen on this machine, before anything is drawn; without a choice, the system's.
document.documentElement.classList.add("scripted");
try {
  const chosen = localStorage.getItem("sidelight-theme");
  if (chosen === "dark" || chosen === "light") document.documentElement.dataset.theme = chosen;
} catch (_) { /* a browser that keeps nothing */ }
