"""The course packages as files: against the published schemas of SCORM, and what those cannot say."""

import io
import zipfile
from collections import Counter
from pathlib import Path, PurePosixPath

import pytest
from lxml import etree

from tokenwalk import course
from tokenwalk.scorm import SCORM12, SCORM2004, scorm
from toy_course import built, published

ADL = {"12": "{http://www.adlnet.org/xsd/adlcp_rootv1p2}scormtype", "2004": "{http://www.adlnet.org/xsd/adlcp_v1p3}scormType"}
KINDS = {"scorm12": SCORM12, "scorm12-thin": SCORM12, "scorm2004": SCORM2004}
Packages = dict[str, zipfile.ZipFile]


def packed(made: course.Course) -> dict[str, bytes]:
    """The SCORM packages of a course by their kind."""
    return {kind: course.zipped(scorm(made, version, "thin" in kind)) for kind, version in KINDS.items()}


def opened(made: course.Course) -> Packages:
    return {kind: zipfile.ZipFile(io.BytesIO(data)) for kind, data in packed(made).items()}


@pytest.fixture(scope="module")
def packages(tmp_path_factory: pytest.TempPathFactory) -> Packages:
    """The packages of the small site, opened."""
    return opened(built(tmp_path_factory.mktemp("toy")))


def manifest(package: zipfile.ZipFile) -> etree._Element:
    return etree.fromstring(package.read("imsmanifest.xml"))


@pytest.fixture(scope="module")
def schemas(tmp_path_factory: pytest.TempPathFactory) -> dict[str, etree.XMLSchema]:
    return published(tmp_path_factory.mktemp("schemas"))


@pytest.mark.parametrize("kind", KINDS)
def test_the_manifest_is_valid(packages: Packages, schemas, kind: str):
    schemas[kind.removesuffix("-thin")].assertValid(manifest(packages[kind]))


def test_the_schemas_find_mistakes(packages: Packages, schemas):
    for kind, schema in schemas.items():
        root = manifest(packages[kind])
        root.append(etree.Element("surprise"))
        assert not schema.validate(root)


@pytest.mark.parametrize("kind", KINDS)
def test_each_resource_says_what_it_is_in_the_spelling_of_its_version(packages: Packages, kind: str):
    spelt = ADL["2004" if "2004" in kind else "12"]
    found = Counter((r.get(spelt), bool(r.get("href"))) for r in manifest(packages[kind]).iterfind(".//{*}resource"))
    assert found == {("sco", True): 3, ("asset", False): 1}


@pytest.mark.parametrize("kind", KINDS)
def test_what_refers_to_something_finds_it(packages: Packages, kind: str):
    root = manifest(packages[kind])
    resources = {r.get("identifier") for r in root.iterfind(".//{*}resource")}
    assert {node.get("identifierref") for node in root.iterfind(".//*[@identifierref]")} == resources
    assert root.find(".//{*}organizations").get("default") == root.find(".//{*}organization").get("identifier")
    names = [node.get("identifier") for node in root.iterfind(".//*[@identifier]")]
    assert len(names) == len(set(names))


@pytest.mark.parametrize("kind", KINDS)
def test_the_files_listed_are_the_files_held(packages: Packages, kind: str):
    root, held = manifest(packages[kind]), packages[kind].namelist()
    listed = {file.get("href") for file in root.iterfind(".//{*}file")}
    assert sorted(listed | {"imsmanifest.xml"}) == held
    for resource in root.iterfind(".//{*}resource[@href]"):
        assert resource.get("href") in {file.get("href") for file in resource.iterfind("{*}file")}


# Reported as overhangio/openedx-scorm-xblock#112.
@pytest.mark.parametrize("kind", KINDS)
def test_no_name_of_a_file_can_give_trouble(packages: Packages, kind: str):
    names = packages[kind].namelist()
    assert not [n for n in names if n.endswith((".mjs", "/")) or set(n) & set("\\?#% ") or n.startswith("/")]
    assert max(Counter(PurePosixPath(n).name for n in names).values()) == 1


def test_the_questions_come_first_and_the_panels_follow_in_the_order_of_the_page(packages: Packages):
    for package in packages.values():
        root = manifest(package)
        titles = [title.text for title in root.iterfind(".//{*}item/{*}title")]
        assert titles == ["2 Embeddings", "Embeddings: Ten questions", "Embeddings: Build X", "Embeddings: A & B"]
        assert root.find(".//{*}resource").get("href") == "course-2-embeddings-check.html"


def test_a_complete_package_holds_what_its_items_need_and_nothing_of_the_theme(packages: Packages):
    app, runtime = "app-0123456789ab", "runtime-0123456789ab"
    assert set(packages["scorm12"].namelist()) == {
        "imsmanifest.xml", "scorm.js", f"{app}/panel.js", f"{runtime}/pyodide.asm.wasm",
        *(f"course-{n}.html" for n in ("2-embeddings-check", "build_x", "scatter")),
        *(f"embed/{n}.html" for n in ("2-embeddings-check", "build_x", "scatter")),
        *(f"{app}/{n}.states.json" for n in ("check_toy", "build_x", "scatter"))}


def test_a_thin_package_frames_the_site_and_a_complete_one_its_own_files(packages: Packages):
    page = {kind: packages[kind].read("course-build_x.html").decode() for kind in KINDS}
    assert '<iframe data-src="https://example.org/tokenwalk/embed/build_x.html"' in page["scorm12-thin"]
    assert all('<iframe data-src="embed/build_x.html"' in page[kind] for kind in ("scorm12", "scorm2004"))
    assert "embed/build_x.html" not in packages["scorm12-thin"].namelist()


def test_what_one_reader_answers_is_not_kept_in_a_browser_that_many_use(packages: Packages, tmp_path: Path):
    assert " keep " in (built(tmp_path).site / "embed/2-embeddings-check.html").read_text()
    assert ' keep="course" ' in packages["scorm12"].read("embed/2-embeddings-check.html").decode()


def test_the_same_site_gives_the_same_bytes(tmp_path: Path):
    first, second = (packed(built(tmp_path / name)) for name in ("one", "two"))
    assert first == second
    entries = zipfile.ZipFile(io.BytesIO(first["scorm12"])).infolist()
    assert {entry.date_time for entry in entries} == {(1980, 1, 1, 0, 0, 0)}


def test_a_page_that_does_not_exist_is_named_with_those_that_do(tmp_path: Path):
    site = built(tmp_path).site
    with pytest.raises(LookupError, match=r"No page is called embedding\. There are: embeddings, index\."):
        course.course(site, "embedding")
