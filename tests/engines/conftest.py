"""One Spark for all tests of engines: its executors are processes of their own, and starting it is what costs most."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from sidelight.engines.spark.source import spark_session

CLUSTER = "local-cluster[2,1,1024]"
QUICK_START = "'-XX:TieredStopAtLevel=1 -XX:+UseSerialGC -Xshare:auto'"
SETTINGS = {
    "spark.sql.shuffle.partitions": 2,
    "spark.sql.adaptive.enabled": "false",
    "spark.sql.codegen.wholeStage": "false",  # a few hundred rows are not worth a compiler
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
    "spark.ui.enabled": "false",
    "spark.driver.extraJavaOptions": QUICK_START,
    "spark.executor.extraJavaOptions": QUICK_START,
    "spark.log.level": "OFF",
}


@pytest.fixture(scope="package")
def spark(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """A session that has the settings above only if nobody in this process has started Java before."""
    with pytest.MonkeyPatch.context() as patch, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of Spark about pandas and its own parts
        given = " ".join(f"--conf {name}={setting}" for name, setting in SETTINGS.items())
        patch.setenv("PYSPARK_SUBMIT_ARGS", f"{given} pyspark-shell")
        patch.setenv("SPARK_HOME", str(spark_home(tmp_path_factory.mktemp("spark"))))
        patch.setenv("SPARK_LOCAL_IP", "127.0.0.1")
        session = spark_session(CLUSTER)
        yield session
        session.stop()


def spark_home(folder: Path) -> Path:
    """Make a folder that Spark takes for its own: what workers leave there goes with it, and not into the library."""
    import pyspark  # noqa: PLC0415 - an extra

    for each in Path(pyspark.__path__[0]).iterdir():
        if each.name != "work":
            (folder / each.name).symlink_to(each)
    return folder
