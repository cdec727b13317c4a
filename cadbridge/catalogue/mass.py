"""Codes CB3xx, mass properties."""

from __future__ import annotations

from cadbridge.catalogue.entry import Entry, Family, Severity, Stage

ENTRIES: dict[str, Entry] = {
    "CB301": Entry(
        Severity.WARNING,
        "a part has no density",
        "Its volume is known, its mass is not: nothing gives a density, and none is made up. A simulation "
        "refuses to run without it.",
        "Give `density:` or `material:` for the part in the mates file, or --density or --material for all.",
        "--density 7850 weighs every part without a density of its own as steel.",
    ),
    "CB302": Entry(
        Severity.WARNING,
        "a part has nothing to weigh",
        "There is no closed shape and no mass is declared.",
        "Give the part's mass, centre and inertia in the mates file, or export it with a solid.",
        "An empty placeholder for a bought part.",
    ),
    "CB303": Entry(
        Severity.WARNING,
        "an open mesh has no volume",
        "Edges have triangles on one side only, so the surface encloses nothing; a volume computed from it "
        "would depend on where the origin is.",
        "Mend the mesh (fill its holes), give a collision mesh that is closed, or give the mass.",
        "A cup whose STL lacks its bottom.",
    ),
    "CB304": Entry(
        Severity.WARNING,
        "the mesh does not weigh what the exact shape does",
        "Mesh and B-Rep differ by more than 0.1 % in volume or 0.3 % in inertia. The B-Rep's values are "
        "taken; what is shown and exported as mesh deviates.",
        "Check the part for faces that intersect or are missing.",
        "A mesh whose volume is 3 % less than the STEP solid's: a face was left out.",
    ),
    "CB305": Entry(
        Severity.ERROR,
        "declared mass properties that no body can have",
        "A mass must be positive, an inertia tensor symmetric with positive principal moments, of which the "
        "largest is at most the sum of the others. Integrators misbehave on anything else.",
        "Mend the values in the file, override them in the mates file, or use --mass from-mesh.",
        "Moments of inertia of 1, 1 and 5: the largest exceeds the sum of the others.",
    ),
    "CB306": Entry(
        Severity.WARNING,
        "a declared mass is zero",
        "The CAD system had no material for the part, or left it out of the mass.",
        "Assign a material in the CAD system, or give a mass or density in the mates file.",
        'A part with the material "not specified".',
    ),
    "CB307": Entry(
        Severity.WARNING,
        "declared mass properties look like placeholders",
        "Different parts have exactly the same mass and inertia; real parts do not. A simulation with them "
        "moves, but not like the machine.",
        "Use --mass from-mesh with --density, or give each part's mass in the mates file.",
        "A URDF whose every link has 2 kg and an inertia of 0.01 kg m².",
    ),
    "CB308": Entry(
        Severity.WARNING,
        "declared mass properties are set aside",
        "They are those of no body (another finding says why); the mass is computed from the shape "
        "where there is a density.",
        "Mend the values in the file.",
        "A link with an inertia of -0.1, weighed by its mesh and --density instead.",
    ),
    "CB309": Entry(
        Severity.ERROR,
        "an override of the mass is incomplete",
        "A part without volume or density has nothing from which the values that are missing could follow.",
        "Give mass, centre and inertia together.",
        "`mass: 2` for a part that is an open mesh: centre and inertia are missing.",
    ),
    "CB310": Entry(
        Severity.ERROR,
        "an override that no body can have",
        "The mass properties given break the laws of mechanics and were not used.",
        "Check units (kg, m, kg m²) and signs of the products of inertia.",
        "`inertia: [0.01, 0.01, 9]`: kg cm² typed as kg m².",
    ),
    "CB311": Entry(
        Severity.INFO,
        "a mesh was inside out",
        "Its triangles faced inwards, which gives a negative mass; they were all turned.",
        "Nothing need be done; turn the normals in the source for other tools' sake.",
        "An STL written with its normals turned inwards.",
    ),
    "CB312": Entry(
        Severity.WARNING,
        "triangles faced the wrong way",
        "Some triangles of a closed mesh were turned against their neighbours, which falsifies its volume; "
        "they were turned back.",
        "Nothing need be done; mend the normals in the source for other tools' sake.",
        "An STL of which a dozen facets were turned by a repair tool.",
    ),
    "CB313": Entry(
        Severity.INFO,
        "shells of a mesh overlap",
        "Where one closed shell reaches into another the volume counts twice.",
        "Unite the solids in the CAD system, or give the mass.",
        "A handle pushed 2 mm into its pan before both were written as one mesh.",
    ),
    "CB314": Entry(
        Severity.WARNING,
        "the collision mesh was weighed",
        "The visual mesh is not closed; the collision mesh is, but hulls are larger than the part.",
        "Close the visual mesh, or give the part's mass.",
        "visual.dae is open, collision.stl is a convex hull and weighs more.",
    ),
    "CB315": Entry(
        Severity.INFO,
        "solids overlap",
        "Two parts reach into each other as placed. What they share counts twice in the masses, and no real parts can "
        "stand so.",
        "Cut one part by the other, or mend the placement; screws in holes drawn too small weigh little.",
        "A shaft of 20 mm in a hole drawn with 18 mm: the ring between them counts twice.",
    ),
    "CB316": Entry(
        Severity.WARNING,
        "a part inside another",
        "One part lies wholly within the solid of another: a duplicate in the same place, a hull drawn as a solid, or "
        "a part that was meant to be cut out. Its mass counts twice.",
        "Delete the duplicate, hollow the hull, or leave the hull out of the mass.",
        "A motor inside a housing that is a solid block.",
    ),
    "CB317": Entry(
        Severity.INFO,
        "parts that were not tested for overlaps",
        "Only closed meshes enclose a volume that others can reach into.",
        "Mend the mesh (fill its holes) where it matters.",
        "An STL with a missing facet.",
    ),
    "CB318": Entry(
        Severity.WARNING,
        "a declared mass that is not its shape's",
        "The declared mass is not that of the part's volume with its density, or makes a density that no material has: "
        "confused units, a material never assigned, or a mass of another part.",
        "Mend the value in the file, or take --mass from-mesh with a density.",
        "A bracket of 50 cm³ declares 390 kg: it was 390 g.",
    ),
    "CB319": Entry(
        Severity.WARNING,
        "a declared centre or inertia that its shape cannot have",
        "No distribution of mass within the part's box has this centre of mass or this inertia: confused units, or "
        "another frame than the part's.",
        "Mend the values in the file, or take --mass from-mesh with a density.",
        "A link of 0.3 m with 0.01 kg whose inertia is 2: it was written in kg mm².",
    ),
}

FAMILIES = (Family("mass", "mass properties", Stage.MASS, ENTRIES),)
