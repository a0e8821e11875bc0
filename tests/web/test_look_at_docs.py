"""What looks at the built documentation notices what a reader would."""

import importlib.util
from pathlib import Path

import pytest

pytestmark = pytest.mark.browser

SCRIPT = Path(__file__).parents[2] / "scripts" / "look_at_docs.py"
SPECIFICATION = importlib.util.spec_from_file_location(SCRIPT.stem, SCRIPT)
look_at_docs = importlib.util.module_from_spec(SPECIFICATION)
SPECIFICATION.loader.exec_module(look_at_docs)


@pytest.mark.parametrize(
    ("shown", "fault"),
    [
        (
            "<pre><code style='display: block; width: 99px; overflow: auto'>sidelight protect table.csv</code></pre>",
            "cut off",
        ),
        ("<span class='arithmatex'>k<sub>1</sub></span>", "not set"),
        ("<span class='katex-error'>k_</span>", "mistake"),
        ("<article><img src='data:image/png;base64,AAAA'></article>", "not there"),
        ("<p style='width: 3000px'>wide</p>", "wider than the window"),
    ],
)
def test_it_notices(page, shown, fault):
    page.set_content(shown)
    (found,) = look_at_docs.faults_of(page)
    assert fault in found


def test_a_page_that_fits_has_no_faults(page):
    page.set_content(
        "<pre><code>sidelight demo</code></pre><span class='arithmatex'><i class='katex-html'>k</i></span>"
    )
    assert look_at_docs.faults_of(page) == []
