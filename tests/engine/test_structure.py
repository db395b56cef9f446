"""Conventions of the code: layers of imports, one decorator, small kernels, light imports."""

import ast
import importlib
import inspect
import pkgutil
import re
import subprocess
import sys
from enum import EnumType
from graphlib import CycleError, TopologicalSorter
from itertools import chain
from pathlib import Path

import pytest

from carc_env import engine
from carc_env.engine import entry
from carc_env.engine.compiler.jit import JIT
from carc_env.engine.core import codes
from carc_env.engine.core.figures import seat_of
from carc_env.engine.flow import steps
from carc_env.sets import COMPILED, import_all
from carc_env.sets import SETS as SETS_IN_ORDER
from tests.imports import ADAPTERS, ROOT, files_below, imports_of, name_of, tree_of

ENGINE = ROOT / "carc_env" / "engine"
SETS = ROOT / "carc_env" / "sets"

LAYERS = (
    "carc_env.sets",
    "carc_env.engine.compiler",
    "carc_env.engine.core.codes",
    "carc_env.engine.core.tiles",
    "carc_env.engine.core.sizes",
    "carc_env.engine.core.fields",
    "carc_env.sets.*.record",
    "carc_env.engine.core",
    "carc_env.sets.*.kernels",
    "carc_env.sets.*.invariants",
    "carc_env.engine.flow",
    "carc_env.engine.problems",
    "carc_env.engine.sight.shown",
    "carc_env.engine.sight.marks",
    "carc_env.engine.sight.moments",
    "carc_env.sets.*.sight",
    "carc_env.engine.sight",
    "carc_env.engine.entry",
    "carc_env.choices",
    "carc_env.threads",
    "carc_env.extras",
    "carc_env.seeds",
    "carc_env.files",
    "carc_env.entry_points",
    "carc_env.plain_yaml",
    "carc_env.plain_json",
    "carc_env.plain_arrays",
    "carc_env.rules",
    "carc_env.search.tables",
    "carc_env.search.measures",
    "carc_env.sets.*.value",
    "carc_env.search",
    "carc_env.position",
    "carc_env.words",
    "carc_env.systems.designs",
    "carc_env.systems.places",
    "carc_env.systems.declaring",
    "carc_env.systems.stock",
    "carc_env.sets.*.surface",
    "carc_env.systems",
    "carc_env.layout",
    "carc_env.game",
    "carc_env.render",
    "carc_env.sets.*.drawing",
    "carc_env.render.panel",
    "carc_env.render.text",
    "carc_env.render.picture",
    "carc_env.render.analysis",
    "carc_env.render.__init__",
    "carc_env.envs",
    "carc_env.sets.*.page",
    "carc_env",
    "carc_env.envs.text",
    "agents",
    "scripts",
)
"""Layers of modules, also called rooms, lowest first: a room never imports a room above it.

The name of a set's file determines its layer, also called its floor.
"""
FLOORS = (*COMPILED, "surface", "drawing", "page")
"""Names of the files of a set; ``LAYERS`` contains the layer of each."""
DECORATORS = ("kernel", "entry_point", "shared")
MAX_ARGUMENTS = 5
MAX_TURN_LINES = 250

#: Extras that are only needed for training and pictures.
HEAVY = ("torch", "stable_baselines3", "sb3_contrib", "pygame", "resvg_py", "matplotlib")


def is_within(name, package):
    return name == package or name.startswith(f"{package}.")


def kernels_of(path, decorators=DECORATORS):
    """Yield the functions of a module that have one of the decorators."""
    for node in ast.walk(tree_of(path)):
        if isinstance(node, ast.FunctionDef) and any(
            isinstance(mark, ast.Call) and getattr(mark.func, "id", None) in decorators
            for mark in node.decorator_list
        ):
            yield node


def dispatchers():
    """Yield the compiled kernels of the engine with their full names."""
    found = pkgutil.walk_packages(engine.__path__, f"{engine.__name__}.")
    for module in [
        *(importlib.import_module(info.name) for info in found),
        *chain(*map(import_all, COMPILED)),
    ]:
        for name, member in vars(module).items():
            function = getattr(member, "py_func", None)
            is_own = inspect.isfunction(function) and function.__module__ == module.__name__
            if is_own and function.__name__ == name:
                yield f"{module.__name__}.{name}", member


def floor_of(name):
    """Return the name of a module without its set, such as ``carc_env.sets.*.kernels``."""
    found = re.match(rf"carc_env\.sets\..*\b({'|'.join(FLOORS)})\b", name)
    return f"carc_env.sets.*.{found[1]}" if found else name


def layer_of(name):
    """Return the number of the innermost layer of a module; None if it is in no layer."""
    name = floor_of(name)
    within = [k for k, room in enumerate(LAYERS) if is_within(name, room)]
    return max(within, key=lambda k: len(LAYERS[k])) if within else None


COMPILED_OF_SETS = sorted(path for path in SETS.rglob("*.py") if path.stem in COMPILED)
SOURCES = [*files_below("carc_env/engine"), *COMPILED_OF_SETS]


@pytest.mark.once
@pytest.mark.parametrize("path", files_below("carc_env", "agents", "scripts"), ids=name_of)
def test_a_room_imports_none_above_it(path):
    own = layer_of(name_of(path).removesuffix(".py").replace("/", "."))
    for name in imports_of(path):
        layer = layer_of(name)
        assert layer is None or layer <= own, f"{name_of(path)} imports {name}"


def circle_in(imports):
    """Return the first circle of modules that import each other, given the imports of each."""
    try:
        TopologicalSorter(imports).prepare()
    except CycleError as error:
        return error.args[1]
    return []


@pytest.mark.once
def test_no_modules_import_each_other_in_a_circle():
    """Imports inside functions count as well."""
    modules = {
        name_of(path).removesuffix(".py").removesuffix("/__init__").replace("/", "."): path
        for path in files_below("carc_env", "agents")
    }
    imports = {module: set() for module in modules}
    for module, path in modules.items():
        for name in imports_of(path):
            name = re.sub(r"^carc_env\.agents\b", "agents", name)
            imports[module].add(name if name in modules else name.rpartition(".")[0])
        imports[module].discard(module)
    assert "agents.checkpoint" in imports["agents.commands.train_value"]
    assert circle_in(imports) == []


@pytest.mark.once
def test_no_files_of_the_page_import_each_other_in_a_circle():
    scripts = {path.name: path.read_text() for path in (ROOT / "carc_env/web/static").glob("*.js")}
    imports = {name: re.findall(r'"\./(\w+\.js)"', text) for name, text in scripts.items()}
    assert "store.js" in imports["tutorial.js"]
    assert circle_in(imports) == []


@pytest.mark.once
@pytest.mark.parametrize("path", COMPILED_OF_SETS, ids=name_of)
def test_kernels_of_a_set_never_import_those_of_another_one(path):
    own = name_of(path.parent).replace("/", ".")
    for name in imports_of(path):
        is_known_to_all = floor_of(name) == "carc_env.sets.*.record"
        assert is_known_to_all or is_within(name, own) or not is_within(name, "carc_env.sets")


@pytest.mark.once
def test_the_list_of_sets_is_the_folders():
    rooms = {path.parent.relative_to(SETS) for path in SETS.rglob("surface.py")}
    assert sorted(SETS_IN_ORDER) == sorted(".".join(room.parts) for room in rooms)
    for path in SETS.rglob("*.py"):
        assert path.stem in ("__init__", *FLOORS), "a name that says no floor"


def code_of(path):
    """Return the text of a file; for Python, without comments and docstrings."""
    if path.suffix != ".py":
        return path.read_text(encoding="utf-8")
    tree = tree_of(path)
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            node.value.value = ...
    return ast.unparse(tree)


NAMELESS = {
    "carc_env/engine/core/bag.py": set(),
    "carc_env/engine/core/chance.py": set(),
    # The abbey is a tile that is never in the bag.
    "carc_env/engine/core/state.py": {"abbey"},
    "carc_env/engine/flow/acting.py": set(),
    "carc_env/engine/flow/legal.py": set(),
    "carc_env/engine/problems/__init__.py": set(),
    "carc_env/engine/sight/globals.py": set(),
    "carc_env/engine/sight/planes.py": {"bridge", "inn", "abbey"},
    # Bridges and castles have special places; some elements depend on two sets; the tiles of
    # Carcassonne start on the table.
    "carc_env/game/jcloisterzone.py": {
        *("bridge", "carcassonne", "castle", "river"),
        *("abbot", "inn", "bazaar", "builder"),
    },
    "carc_env/game/soundness.py": set(),
    "carc_env/layout/template.py": set(),
    "carc_env/render/panel.py": set(),
    # Abbeys, bridges and rivers belong to the background of a tile.
    "carc_env/render/picture.py": {"bridge"},
    "carc_env/render/sites.py": {"bridge"},
    "carc_env/render/survey.py": {"abbey", "bridge", "river"},
    "carc_env/render/text.py": {"bridge", "river"},
    "carc_env/search/chance.py": set(),
    "carc_env/search/tree.py": set(),
    # Unseen tiles and the weight of figures are the same for all sets except these.
    "carc_env/web/features.py": {"bazaar", "mayor"},
    # Rivers belong to the background of a tile.
    "carc_env/web/reasons.py": {"river"},
    # The pictures determine how figures and waiting meeples are arranged side by side.
    "carc_env/web/view.py": {"bridge"},
    # The abbot is an index into the table of monasteries and gardens.
    "carc_env/search/features.py": {"abbot"},
    # The tables keep their earlier order.
    "carc_env/search/tables.py": {"castle", "fairy", "good", "hill", "pig"},
    # Nobody has seen the tiles that are face down there.
    "carc_env/search/measures.py": set(),
    "carc_env/systems/worth.py": set(),
    "carc_env/web/worth.py": set(),
    "carc_env/web/static/side.js": set(),
    "carc_env/web/static/words.js": set(),
}
"""Files that handle all sets in loops -> the only sets that they name."""


@pytest.mark.once
@pytest.mark.parametrize("path", NAMELESS)
def test_what_serves_all_sets_names_none(path):
    names = {word.rstrip("s") for room in SETS_IN_ORDER for word in re.split(r"[._]", room)}
    # A count is also a number, a circle a shape, and a monastery a building, so these sets are
    # recognised by other words.
    names = names - {"count", "circle", "little", "building"} | {"carcassonne", "shed"}
    code = code_of(ROOT / path)
    words = re.findall(r"[A-Z]?[a-z]+|[A-Z]+", code)
    assert {word.lower().rstrip("s") for word in words} & names == NAMELESS[path]


@pytest.mark.once
@pytest.mark.parametrize("path", [path for path in NAMELESS if "/web/" not in path])
def test_what_serves_all_sets_reads_nothing_that_one_keeps(path):
    parts = [record.PART for record in import_all("record")]
    fields = {f.name for part in parts for f in (*part.game, *part.player, *part.rules)}
    words = {word for word in re.findall(r"\w+", code_of(ROOT / path)) if "_" in word}
    meant_otherwise = {"jcloisterzone.py": {"builder_first"}, "tables.py": {"pig_herd"}}
    assert words & fields == meant_otherwise.get(Path(path).name, set())


BY_NAME = {
    # The order of the rulebook.
    "carc_env/engine/flow/rounds.py": {"abbey", "bazaars", "bridges", "count", "traders"},
    "carc_env/engine/flow/steps.py": {
        *("barn", "castles", "corn_circles", "count", "ferries", "gold", "hills_sheep", "phantom"),
        *("princess_dragon", "russian_promos", "siege", "traders", "tunnel", "wagon"),
    },
    "carc_env/engine/flow/turn.py": {*("abbey", "bridges", "tower", "tunnel")},
    # Towers and traps hold figures that are on no feature; inns change the points of features.
    "carc_env/engine/core/elsewhere.py": {"russian_promos", "tower"},
    "carc_env/engine/core/features.py": {"inns"},
    "carc_env/engine/problems/of_figures.py": {"barn"},
    # Positions are set up item by item.
    "carc_env/engine/entry.py": {*("abbey", "barn", "castles", "ferries", "hills_sheep", "wagon")},
    # Auctions, and decisions that players consider later.
    "carc_env/engine/flow/one_ply.py": {"bazaars", "princess_dragon"},
    "carc_env/search/draws.py": {"bazaars"},
    "carc_env/search/moves.py": {"bazaars"},
}
"""Files outside the sets -> boxes that they use by name. This list should become shorter."""


@pytest.mark.once
def test_few_files_ask_sets_by_name():
    found = {}
    for path in files_below("carc_env", "agents", "scripts"):
        rooms = [name.split(".") for name in imports_of(path) if name.startswith("carc_env.sets.")]
        boxes = {room[2] for room in rooms if room[2] not in ("SETS", "BOXES", "ROOMS", "COMPILED")}
        boxes -= {"import_all", "read_all", "said_in"}
        if boxes and (ROOT / "carc_env/sets") not in path.parents:
            found[path.relative_to(ROOT).as_posix()] = boxes
    assert found == BY_NAME


FOREIGN_WRITES = {
    # Figures in traps and on towers are on no feature, so the core releases them.
    "carc_env/engine/core/elsewhere.py": {"trapped", "towers"},
    # The player imagines a tile on offer in a separate turn, without the bazaar.
    "carc_env/engine/flow/one_ply.py": {"bazaar"},
    # The fields of a turn are reset in one place, which is easier to read and faster than moments.
    "carc_env/engine/flow/rounds.py": {"ransomed", "entered", "dug"},
    "carc_env/engine/flow/turn.py": {"scored"},
    # Positions are set up item by item; the bag has room for the tiles that are face down.
    "carc_env/game/conversion.py": {"hidden", "bazaar"},
    # A bazaar interrupts a turn, saves what the turn has used, and restores it.
    "carc_env/sets/bazaars": {"ransomed"},
    # FES-06: a meeple comes back from Carcassonne.
    "carc_env/sets/festival": {"waiting"},
    # FLY-16: a phantom cannot follow its own flight.
    "carc_env/sets/flier": {"used"},
    # RIV2-10: the pig-herd on a tile of The River II counts like a pig.
    "carc_env/sets/traders/pigs": {"pig_herd"},
}
"""Fields that one set declares and other files write, with the reason for each.

This list should become shorter.
"""


ROOM_PATHS = [f"carc_env/sets/{name.replace('.', '/')}" for name in SETS_IN_ORDER]


def room_of(path):
    """Return the set that a file belongs to, or the file itself if it is outside the sets."""
    rooms = [room for room in ROOM_PATHS if path.is_relative_to(ROOT / room)]
    return max(rooms, key=len, default=name_of(path))


def fields_in(node, known):
    """Return the fields that an expression such as ``s.towers[k].seat`` passes through."""
    found = set()
    while isinstance(node, ast.Attribute | ast.Subscript):
        if isinstance(node, ast.Attribute):
            found.add(node.attr)
        node = node.value
    return found | known.get(getattr(node, "id", None), set())


def fields_written(function):
    """Return the fields that a function writes, directly or through a variable for a subrecord."""
    parts, found = {}, set()
    for node in ast.walk(function):
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            parts[node.targets[0].id] = fields_in(node.value, {})
    for node in ast.walk(function):
        if isinstance(node, ast.Attribute | ast.Subscript) and isinstance(node.ctx, ast.Store):
            found |= fields_in(node, parts)
    return found


@pytest.mark.once
def test_few_write_what_another_set_keeps():
    owners = {}
    for room, name in zip(ROOM_PATHS, SETS_IN_ORDER, strict=True):
        if (ROOT / room / "record.py").exists():
            part = importlib.import_module(f"carc_env.sets.{name}.record").PART
            owners |= {field.name: room for field in (*part.game, *part.player)}
    found = {}
    for path in files_below("carc_env/engine", "carc_env/game", "carc_env/sets"):
        room = room_of(path)
        for function in ast.walk(tree_of(path)):
            if isinstance(function, ast.FunctionDef) and path.parent.name != "sight":
                fields = fields_written(function) & owners.keys()
                foreign = {name for name in fields if owners[name] != room}
                if foreign:
                    found.setdefault(room, set()).update(foreign)
    assert found == FOREIGN_WRITES


@pytest.mark.once
def test_python_walks_round_features():
    """Only the check of records counts through segments, which have gaps to make room for bridges.

    Kernels that go through all feature numbers check ``features[number].n_segments``.
    """
    paths = [
        path for path in files_below("carc_env", "agents", "scripts") if not any(kernels_of(path))
    ]
    counting = [name_of(path) for path in paths if "n_segments" in code_of(path)]
    assert counting == ["carc_env/engine/core/state.py", "carc_env/game/soundness.py"]


@pytest.mark.once
def test_one_module_compiles_everything():
    for path in files_below("carc_env", "agents", "scripts"):
        if path == ENGINE / "compiler" / "jit.py":
            continue
        for node in ast.walk(tree_of(path)):
            used = {getattr(node, field, None) for field in ("id", "attr", "name")}
            assert not used & {"jit", "njit"}, f"{name_of(path)}:{node.lineno}"


@pytest.mark.skipif(not JIT, reason="nothing is compiled")
def test_every_kernel_is_compiled_for_exactly_one_signature():
    n_compiled = {name: len(kernel.signatures) for name, kernel in dispatchers()}
    paths = SOURCES
    assert len(n_compiled) == sum(
        len([*kernels_of(p, ("kernel", "moment", "entry_point"))]) for p in paths
    )
    assert {name: n for name, n in n_compiled.items() if n > 1} == {}
    entries = [n for name, n in n_compiled.items() if name.startswith(f"{entry.__name__}.")]
    assert entries and set(entries) == {1}, (
        "what Python calls is loaded, the rest when it is needed"
    )


@pytest.mark.once
def test_kernels_take_few_arguments():
    for path in SOURCES:
        for kernel in kernels_of(path):
            n_arguments = len(kernel.args.posonlyargs + kernel.args.args + kernel.args.kwonlyargs)
            assert n_arguments <= MAX_ARGUMENTS, f"{name_of(path)}:{kernel.name}"


@pytest.mark.once
def test_kernels_read_without_casts():
    """The compiler widens numbers itself; Python numbers need no width (``python_ints.py``)."""
    for path in SOURCES:
        for statement in (line for kernel in kernels_of(path) for line in kernel.body):
            for node in ast.walk(statement):
                is_cast = isinstance(node, ast.Call) and getattr(node.func, "id", None) == "i8"
                assert not is_cast, f"{name_of(path)}:{node.lineno}"


@pytest.mark.once
def test_a_code_has_one_name():
    enums = [member for member in vars(codes).values() if isinstance(member, EnumType)]
    assert {codes.Phase, codes.Kind, codes.Figure, codes.Spot} <= set(enums)
    assert [name for enum in enums for name in enum.__members__ if hasattr(codes, name)] == []


@pytest.mark.once
@pytest.mark.parametrize("name", ["turn.py", "steps.py"])
def test_the_turn_is_short(name):
    assert len((ENGINE / "flow" / name).read_text(encoding="utf-8").splitlines()) < MAX_TURN_LINES


@pytest.mark.once
@pytest.mark.parametrize(
    ("name", "switches"),
    [("asks_before_scoring", steps.BEFORE), ("asks_behind_scoring", steps.BEHIND)],
)
def test_every_step_of_a_set_has_its_switch(name, switches):
    """If all of these switches are off, the steps are skipped."""
    [kernel] = [k for k in kernels_of(ENGINE / "flow" / "steps.py") if k.name == name]
    begun = {"step", "n_players", "one_bridge_a_turn", "dragon_late"}
    read = re.findall(r"s\.rules\.(\w+)(?:\[(\w+)\.(\w+)\])?", ast.unparse(kernel))
    found = {
        f"{field}[{getattr(codes, kind)[member]:d}]" if kind else field
        for field, kind, member in read
    } - begun
    assert found and found <= set(switches)


IMPORT_ALL = f"""
import importlib, pkgutil, sys
import carc_env
for info in pkgutil.walk_packages(carc_env.__path__, "carc_env."):
    if info.name not in {ADAPTERS!r}:
        importlib.import_module(info.name)
print(*sorted(set({HEAVY!r}) & set(sys.modules)))
"""


@pytest.mark.skipif(not JIT, reason="nothing is compiled")
def test_kernels_other_than_entry_points_refuse_calls_from_python():
    with pytest.raises(TypeError, match="seat_of: Python can only call entry points"):
        seat_of(3)


@pytest.mark.once
def test_no_module_imports_a_heavy_library_until_it_is_used():
    run = subprocess.run(
        [sys.executable, "-c", IMPORT_ALL], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert run.stdout.split() == []


@pytest.mark.once
def test_the_package_imports_where_the_extras_are_not_installed():
    absent = f"import sys; sys.modules.update(dict.fromkeys({HEAVY!r}))"  # None: not found
    play = "import carc_env; carc_env.Game(seed=0)"
    subprocess.run([sys.executable, "-c", f"{absent}; {play}"], cwd=ROOT, check=True)


@pytest.mark.once
def test_no_file_names_a_folder_of_somebodys_machine():
    private = {"home", "Users", "root", ROOT.parts[1] if len(ROOT.parts) > 2 else "home"}
    absolute = re.compile(rf"(?<![\w.~/-])/(?:{'|'.join(map(re.escape, sorted(private)))})/\w")
    texts = [
        path
        for folder in ("carc_env", "agents", "scripts", "tests", "docs", "configs")
        for path in (ROOT / folder).rglob("*")
        if path.suffix in (".py", ".md", ".yaml", ".json", ".carc", ".toml")
    ]
    for path in [*texts, *ROOT.glob("*.md"), ROOT / "pyproject.toml", ROOT / "Makefile"]:
        found = absolute.search(path.read_text(encoding="utf-8"))
        assert found is None, f"{name_of(path)}: {found}"
