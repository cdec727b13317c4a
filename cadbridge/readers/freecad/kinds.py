"""The types of a document's objects by what they are to an assembly."""

ASSEMBLY = "Assembly::AssemblyObject"
BODY = "PartDesign::Body"
ASSEMBLY_LINK = "Assembly::AssemblyLink"
GROUPS = ("App::DocumentObjectGroup", "App::DocumentObjectGroupPython", "App::LinkGroup")
CONTAINERS = ("App::Part", ASSEMBLY, ASSEMBLY_LINK)
NO_SHAPE = (
    "App::Origin", "App::Line", "App::Plane", "App::Point", "App::LocalCoordinateSystem", "Sketcher::SketchObject",
    "PartDesign::Plane", "PartDesign::Line", "PartDesign::Point", "PartDesign::CoordinateSystem",
    "PartDesign::ShapeBinder", "PartDesign::SubShapeBinder", "PartDesign::SubShapeBinderPython",
    "Part::DatumPlane", "Part::DatumLine", "Part::DatumPoint", "Part::LocalCoordinateSystem",
    "Part::Part2DObjectPython",
    "Assembly::JointGroup", "Assembly::ViewGroup", "Assembly::SimulationGroup", "Assembly::BomGroup",
    "Assembly::SnapshotGroup", "Assembly::BomObject", "Spreadsheet::Sheet", "App::VarSet", "App::TextDocument",
    "App::Annotation", "App::AnnotationLabel", "App::MeasureDistance", "Image::ImagePlane",
)  # fmt: skip
"""Sketches, datums, binders, tables, notes and groups of an assembly's own: none of it is a part."""
DATUMS = (
    "App::Origin", "App::LocalCoordinateSystem", "App::Plane", "App::Line", "App::Point", "Part::LocalCoordinateSystem",
    "Part::DatumPlane", "Part::DatumLine", "Part::DatumPoint",
)  # fmt: skip
"""Of these, what stands in an assembly itself is still, as long as it is attached to nothing."""
