"""All packages of a course, as build.py writes them into dist/. Used at build time only."""

from tokenwalk.assets import Files
from tokenwalk.cartridge import cartridge
from tokenwalk.course import Course, name, zipped
from tokenwalk.scorm import SCORM12, SCORM2004, scorm


def packages(course: Course) -> Files:
    """Every package by its file's name; that of one page is named after it."""
    made = {"-scorm12.zip": scorm(course, SCORM12), "-scorm12-thin.zip": scorm(course, SCORM12, thin=True),
            "-scorm2004.zip": scorm(course, SCORM2004), ".imscc": cartridge(course)}
    part = f"-{name(course.steps[0][0])}" if len(course.steps) == 1 else ""
    return {f"tokenwalk{part}{ending}": zipped(files) for ending, files in made.items()}
