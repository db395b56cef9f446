"""Every entry of the implemented sections has a test, or stands in ``deferred.yaml``."""

from __future__ import annotations

import ast
from collections import defaultdict
from functools import cache
from pathlib import Path

import yaml

FOLDER = Path(__file__).parent

#: The entries of the catalogue that the base game, the River, gardens, abbots, the winter edition,
#: Inns & Cathedrals, Traders & Builders, Abbey & Mayor, Bridges, Castles & Bazaars, King & Robber
#: Baron, Shrines, The River II, Hills & Sheep, The Princess & the Dragon, The Tower, The Count of
#: Carcassonne, The Festival, The Phantom, The Gold Mines, Siege, The Flying Machines, The Tunnel,
#: The Ferries, Mage & Witch, The Watchtowers, The Wind Roses, Corn Circles, Darmstadt,
#: Little Buildings, The Labyrinth and German Monasteries have.
CATALOGUE = """
SET-01 SET-02 SET-03 SET-04 SET-05 SET-06
TURN-01 TURN-02 TURN-03 TURN-04 TURN-05
BASE-01 BASE-02 BASE-03 BASE-04 BASE-05 BASE-06 BASE-07 BASE-08 BASE-09 BASE-10
BASE-11 BASE-12 BASE-13 BASE-14 BASE-15 BASE-16 BASE-17 BASE-18 BASE-19 BASE-20
BASE-21 BASE-22 BASE-23 BASE-24 BASE-25 BASE-26 BASE-27 BASE-28 BASE-29
BASE-40 BASE-41 BASE-42
INN-01 INN-02 INN-03 INN-04 INN-05 INN-06 INN-07 INN-08 INN-09
TRA-01 TRA-02 TRA-03 TRA-04 TRA-05 TRA-06 TRA-07 TRA-08 TRA-09 TRA-10
TRA-11 TRA-12 TRA-13 TRA-14 TRA-15 TRA-16 TRA-17 TRA-18
GAR-01 GAR-02 GAR-03 GAR-04 GAR-05 GAR-06 GAR-07 GAR-08 GAR-09 GAR-10
ABT-01 ABT-02 ABT-03 ABT-04 ABT-05 ABT-06 ABT-07 ABT-08 ABT-09 ABT-10 ABT-11
ABT-12 ABT-13 ABT-14 ABT-15 ABT-16 ABT-17 ABT-18 ABT-19 ABT-20 ABT-21
WIN-01 WIN-02 WIN-03
ABB-01 ABB-02 ABB-03 ABB-04 ABB-05 ABB-06 ABB-07 ABB-08 ABB-09 ABB-10
ABB-11 ABB-12 ABB-13 ABB-14 ABB-15 ABB-16 ABB-17 ABB-18 ABB-19 ABB-20
ABB-21 ABB-22 ABB-23 ABB-24
MAY-01 MAY-02 MAY-03 MAY-04 MAY-05 MAY-06 MAY-07 MAY-08 MAY-09 MAY-10
MAY-11 MAY-12 MAY-13 MAY-14 MAY-15
BARN-01 BARN-02 BARN-03 BARN-04 BARN-05 BARN-06 BARN-07 BARN-08 BARN-09 BARN-10
BARN-11 BARN-12 BARN-13 BARN-14 BARN-15 BARN-16 BARN-17 BARN-18 BARN-19 BARN-20
BARN-21 BARN-22 BARN-23 BARN-24 BARN-25 BARN-26 BARN-27
WAG-01 WAG-02 WAG-03 WAG-04 WAG-05 WAG-06 WAG-07 WAG-08 WAG-09 WAG-10
WAG-11 WAG-12 WAG-13 WAG-14 WAG-15 WAG-16 WAG-17 WAG-18 WAG-19 WAG-20
WAG-21 WAG-22 WAG-23 WAG-24 WAG-25 WAG-26 WAG-27 WAG-28 WAG-29 WAG-30
WAG-31
BRI-01 BRI-02 BRI-03 BRI-04 BRI-05 BRI-06 BRI-07 BRI-08 BRI-09 BRI-10
BRI-11 BRI-12 BRI-13 BRI-14 BRI-15 BRI-16 BRI-17 BRI-18 BRI-19 BRI-20
BRI-21 BRI-22 BRI-23 BRI-24 BRI-25
CAS-01 CAS-02 CAS-03 CAS-04 CAS-05 CAS-06 CAS-07 CAS-08 CAS-09 CAS-10
CAS-11 CAS-12 CAS-13 CAS-14 CAS-15 CAS-16 CAS-17 CAS-18 CAS-19 CAS-20
CAS-21 CAS-22 CAS-23 CAS-24 CAS-25 CAS-26 CAS-27 CAS-28 CAS-29 CAS-30
CAS-31 CAS-32 CAS-33 CAS-34 CAS-35 CAS-36 CAS-37 CAS-38 CAS-39 CAS-40
CAS-41 CAS-42 CAS-43 CAS-44
BAZ-01 BAZ-02 BAZ-03 BAZ-04 BAZ-05 BAZ-06 BAZ-07 BAZ-08 BAZ-09 BAZ-10
BAZ-11 BAZ-12 BAZ-13 BAZ-14 BAZ-15 BAZ-16 BAZ-17 BAZ-18 BAZ-19 BAZ-20
BAZ-21 BAZ-22 BAZ-23 BAZ-24 BAZ-25 BAZ-26 BAZ-27 BAZ-28 BAZ-29 BAZ-30
XBCB-01 XBCB-02 XBCB-03 XBCB-04
TILE-01 TILE-02 TILE-03 TILE-04 TILE-05 TILE-06 TILE-07 TILE-08 TILE-10 TILE-11
KR-01 KR-02 KR-03 KR-04 KR-05 KR-06 KR-07 KR-08 KR-09 KR-10
KR-11 KR-12 KR-13 KR-14 KR-15 KR-16 KR-17
HS-01 HS-02 HS-03 HS-04 HS-05 HS-06 HS-07 HS-08 HS-09 HS-15
HS-16 HS-17 HS-18 HS-19 HS-25 HS-26 HS-27 HS-28 HS-29 HS-30
HS-31 HS-32 HS-33 HS-34 HS-35 HS-36 HS-37 HS-38 HS-39 HS-40
HS-41 HS-42 HS-43 HS-44
PD-01 PD-02 PD-03 PD-04 PD-05 PD-06 PD-07 PD-08 PD-09 PD-10
PD-11 PD-12 PD-13 PD-14 PD-15 PD-16 PD-17 PD-18 PD-19 PD-20
PD-21 PD-22 PD-23 PD-30 PD-31 PD-32 PD-33 PD-34 PD-35 PD-36 PD-37
PD-38 PD-39 PD-40 PD-41 PD-42 PD-43 PD-44 PD-45 PD-50 PD-51 PD-52
PD-53 PD-54 PD-55 PD-56 PD-57 PD-58 PD-59 PD-60 PD-65 PD-66
PD-67 PD-68 PD-69 PD-70 PD-71 PD-72 PD-73 PD-74 XPD-01 XPD-02 XPD-03
XPD-04 XPD-05 XPD-06 XPD-07 XPD-08 XPD-09 XPD-10 XPD-11 XPD-12 XPD-13
XPD-14 XW-01 XW-02 XW-03 XW-04 XW-05 XW-06 XW-08 XW-09 XW-10 XW-12 XW-15 W1T-04 W1T-05
W1T-06 HOUSE-03
XHS-01 XHS-02 XHS-03 XW-07 XW-14 W1T-01 W1T-02 W1T-03
HOUSE-01
CULT-01 CULT-02 CULT-03 CULT-04 CULT-05 CULT-06 CULT-07 CULT-08 CULT-09 CULT-10
CULT-11 CULT-12 CULT-13 CULT-14 CULT-15 CULT-16 CULT-17 CULT-18 CULT-19 CULT-20
RIV2-01 RIV2-02 RIV2-03 RIV2-04 RIV2-05 RIV2-06 RIV2-07 RIV2-08 RIV2-09 RIV2-10
RIV2-11 RIV2-12 RIV2-13 RIV2-14 RIV2-15
XCK-10 XCK-11 XCK-12 XCK-13 XCK-14 XCK-18 XCK-19
XPH-01 XPH-02 XPH-03 XGM-01 XW-11 XW-13
HOUSE-05
TOW-01 TOW-02 TOW-03 TOW-04 TOW-05 TOW-06 TOW-07 TOW-08 TOW-09 TOW-10
TOW-11 TOW-12 TOW-13 TOW-14 TOW-15 TOW-16 TOW-17 TOW-18 TOW-19 TOW-20
TOW-21 TOW-22 TOW-23 TOW-24 TOW-25 TOW-26 TOW-27 TOW-28 TOW-29 TOW-30
TOW-31 TOW-32 TOW-33 TOW-34 TOW-35 TOW-36 TOW-37
XTO-01 XTO-02 XTO-03 XTO-04 XTO-05 XTO-06 XTO-07 XTO-08 XTO-09
HOUSE-02
COU-01 COU-02 COU-03 COU-04 COU-05 COU-06 COU-07 COU-08 COU-09 COU-10
COU-11 COU-12 COU-13 COU-14 COU-15 COU-16 COU-17 COU-18 COU-19 COU-20
COU-21 COU-22 COU-23 COU-24 COU-25 COU-26 COU-27 COU-28 COU-29 COU-30 COU-31
XCK-01 XCK-02 XCK-03 XCK-04 XCK-05 XCK-06 XCK-07 XCK-08 XCK-09 XCK-15 XCK-16 XCK-17
FES-01 FES-02 FES-03 FES-04 FES-05 FES-06 FES-07 FES-08 FES-09 FES-10
FES-11 FES-12 FES-13 FES-14 FES-15 FES-16 XFS-01 XFS-02
PHA-01 PHA-02 PHA-03 PHA-04 PHA-05 PHA-06 PHA-07 PHA-08 PHA-09 PHA-10
PHA-11 PHA-12 PHA-13 PHA-14 PHA-15 PHA-16 PHA-17 PHA-18 XPT-01 XPT-02
GOL-01 GOL-02 GOL-03 GOL-04 GOL-05 GOL-06 GOL-07 GOL-08 GOL-09 GOL-10
GOL-11 GOL-12 GOL-13 GOL-14 GOL-15 GOL-16 GOL-17 GOL-18 GOL-19 GOL-20
XGO-01 XGO-02 W2T-03 W2T-04 W2T-06 W2T-08
SIE-01 SIE-02 SIE-03 SIE-04 SIE-05 SIE-06 SIE-07 SIE-08 SIE-09 SIE-10
SIE-11 SIE-12 SIE-13 SIE-14 SIE-15 SIE-16 SIE-17 SIE-18 SIE-19 SIE-20
XSI-01 XSI-02 XSI-03 XSI-04 XSI-05
FLY-01 FLY-02 FLY-03 FLY-04 FLY-05 FLY-06 FLY-07 FLY-08 FLY-09 FLY-10
FLY-11 FLY-12 FLY-13 FLY-14 FLY-15 FLY-16 FLY-17 FLY-18 FLY-19 FLY-20
FLY-21 FLY-22 FLY-23 XFL-01 XFL-02 XFL-03 XFL-04 XFL-05 W2T-02 W2T-07
X2-03 X2-04 X2-07
TUN-01 TUN-02 TUN-03 TUN-04 TUN-05 TUN-06 TUN-07 TUN-08 TUN-09 TUN-10
TUN-11 TUN-12 TUN-13 TUN-14 TUN-15 TUN-16 TUN-17 TUN-18 TUN-19 TUN-20 XTU-01 TILE-09
FER-01 FER-02 FER-03 FER-04 FER-05 FER-06 FER-07 FER-08 FER-09 FER-10
FER-11 FER-12 FER-13 FER-14 FER-15 FER-16 FER-17 FER-18 FER-19 FER-20
FER-21 FER-22 FER-23 FER-24 FER-25 XFE-01 W2T-05 X2-06 X2-08
MW-01 MW-02 MW-03 MW-04 MW-05 MW-06 MW-07 MW-08 MW-09 MW-10 MW-11 MW-12 MW-13
MW-14 MW-15 MW-16 MW-17 MW-18 MW-19 MW-20 MW-21 MW-22 MW-23 MW-24 MW-25 MW-26
XMW-01 X2-01 X2-02
WT-01 WT-02 WT-03 WT-04 WT-05 WT-06 WT-07 WT-08 WT-09 WT-10
WT-11 WT-12 WT-13 WT-14 WT-15 XWT-01 X2-05
WR-01 WR-02 WR-03 WR-04 WR-05 WR-06 WR-07 WR-08 WR-09
CRN-01 CRN-02 CRN-03 CRN-04 CRN-05 CRN-06 CRN-07 CRN-08 CRN-09 CRN-10
DAR-01 DAR-02 DAR-03 DAR-04 DAR-05 DAR-06 DAR-07 DAR-08 DAR-09 XDA-01 XDA-02
CRN-11 CRN-12 CRN-13 CRN-14 CRN-15 CRN-16 CRN-17 CRN-18 CRN-19 CRN-20
LB-01 LB-02 LB-03 LB-04 LB-05 LB-06 LB-07 LB-08 LB-09 LB-10 LB-11 LB-12 LB-13 LB-14
XLB-01 XLB-02 XLB-03
RUS-01 RUS-02 RUS-03 RUS-04 RUS-05 RUS-06 RUS-07 RUS-08 RUS-09 RUS-10
RUS-11 RUS-12 RUS-13 RUS-14 RUS-15 RUS-16 XRP-01 XRP-02 X2-10
LAB-01 LAB-02 LAB-03 LAB-04 LAB-05 LAB-06 LAB-07 LAB-08 LAB-09 LAB-10 LAB-11 LAB-12
LAB-13 LAB-14
MON-01 MON-02 MON-03 MON-04 MON-05 MON-06 MON-07 MON-08 MON-09 MON-10 MON-11 MON-12 MON-13
MON-14 MON-15 MON-16 MON-17 MON-18 XGM-02 XGM-03 XGM-04 XGM-05
""".split()


def _ids_of(decorator: ast.expr) -> list[str]:
    """The ids of a ``pytest.mark.rule(...)``; none for another decorator."""
    if not isinstance(decorator, ast.Call) or ast.unparse(decorator.func) != "pytest.mark.rule":
        return []
    return [ast.literal_eval(argument) for argument in decorator.args]


@cache
def marked_tests() -> dict[str, list[str]]:
    """The ids that each test function of this folder carries."""
    found: dict[str, list[str]] = {}
    for file in sorted(FOLDER.glob("test_*.py")):
        if file == Path(__file__):
            continue
        for node in ast.parse(file.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
                name = f"{file.name}::{node.name}"
                assert name not in found, f"{name} is defined twice"
                found[name] = [id_ for d in node.decorator_list for id_ in _ids_of(d)]
    return found


def deferred() -> dict[str, dict[str, str]]:
    with (FOLDER / "deferred.yaml").open(encoding="utf-8") as file:
        content: dict[str, dict[str, str]] = yaml.safe_load(file)
    assert set(content) == {"fully", "partly"}
    return content


def names_by_id() -> dict[str, list[str]]:
    tests = defaultdict(list)
    for name, ids in marked_tests().items():
        for id_ in ids:
            tests[id_].append(name)
    return dict(tests)


def test_every_entry_has_a_test_or_is_deferred():
    missing = set(CATALOGUE) - set(names_by_id()) - set(deferred()["fully"])
    assert not missing


def test_the_ids_of_tests_and_deferrals_are_entries_of_the_catalogue():
    assert len(set(CATALOGUE)) == len(CATALOGUE) == 933
    assert not set(names_by_id()) - set(CATALOGUE)
    assert not {id_ for part in deferred().values() for id_ in part} - set(CATALOGUE)


def test_fully_deferred_entries_have_no_test_and_partly_deferred_ones_have():
    assert not set(deferred()["fully"]) & set(names_by_id())
    assert not set(deferred()["partly"]) - set(names_by_id())
    assert all(reason.endswith(")") for part in deferred().values() for reason in part.values())


def test_every_test_carries_the_id_in_its_name():
    for name, ids in marked_tests().items():
        words = name.split("::")[1].split("_")
        assert "-".join(words[1:3]).upper() in ids, name
