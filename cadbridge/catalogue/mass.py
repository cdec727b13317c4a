"""Codes: Mass properties."""

from __future__ import annotations

from cadbridge.catalogue.entry import Entry, Family, Severity, Stage

ENTRIES: dict[str, Entry] = {
    "CB301": Entry(
        Severity.WARNING,
        "a part has no density",
        "The volume of the part is known, but no density, so its mass is unknown. cadbridge assumes no density, "
        "and a simulation does not run without the mass.",
        "Give `density:` or `material:` for the part in the mates file, or --density or --material for all.",
        "--density 7850 weighs every part without a density of its own as steel.",
    ),
    "CB302": Entry(
        Severity.WARNING,
        "a part without shape and mass",
        "The part has no closed shape and no declared mass.",
        "Give the part's mass, centre and inertia in the mates file, or export it with a solid.",
        "An empty placeholder for a bought part.",
    ),
    "CB303": Entry(
        Severity.WARNING,
        "an open mesh has no volume",
        "Some edges have a triangle on one side only, so the surface encloses no volume. A volume computed from "
        "it would depend on the origin.",
        "Repair the mesh (fill its holes), provide a closed collision mesh, or give the mass.",
        "A cup whose STL lacks its bottom.",
    ),
    "CB304": Entry(
        Severity.WARNING,
        "mesh and exact shape differ in mass",
        "Mesh and B-Rep differ by more than 0.1 % in volume or 0.3 % in inertia. cadbridge uses the "
        "values of the B-Rep; the mesh that is shown and exported deviates.",
        "Check the part for faces that intersect or are missing.",
        "A mesh whose volume is 3 % less than the STEP solid's: a face was left out.",
    ),
    "CB305": Entry(
        Severity.ERROR,
        "declared mass properties that cannot be used",
        "A mass must be above zero and all values finite. Bodies that move as one must have no principal moment of "
        "inertia below zero together, or a torque would turn them the wrong way.",
        "Correct the values in the file, override them in the mates file, or use --mass from-mesh.",
        "A mass of -1 kg, or moments of inertia of 1, 1 and -0.5 of a body that moves alone.",
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
        "Different parts have exactly the same mass and inertia, which real parts do not. A simulation with "
        "them does not move like the machine.",
        "Use --mass from-mesh with --density, or give each part's mass in the mates file.",
        "A URDF whose every link has 2 kg and an inertia of 0.01 kg m².",
    ),
    "CB308": Entry(
        Severity.WARNING,
        "declared mass properties are not used",
        "No rigid body can have them (another finding gives the reason). cadbridge computes the mass from the "
        "shape if there is a density.",
        "Correct the values in the file.",
        "A link with an inertia of -0.1, weighed by its mesh and --density instead.",
    ),
    "CB309": Entry(
        Severity.ERROR,
        "an override of the mass is incomplete",
        "The part has no volume or no density, so the missing values cannot be computed.",
        "Give mass, centre and inertia together.",
        "`mass: 2` for a part that is an open mesh: centre and inertia are missing.",
    ),
    "CB310": Entry(
        Severity.ERROR,
        "an override that no rigid body can have",
        "The mass properties given break the laws of mechanics and were not used.",
        "Check units (kg, m, kg m²) and signs of the products of inertia.",
        "`inertia: [0.01, 0.01, 9]`: kg cm² typed as kg m².",
    ),
    "CB311": Entry(
        Severity.INFO,
        "a mesh was inside out",
        "The triangles faced inwards, which gives a negative mass. All of them were reversed.",
        "No action is needed here. Reverse the normals in the source if other tools read it.",
        "An STL written with its normals turned inwards.",
    ),
    "CB312": Entry(
        Severity.WARNING,
        "triangles faced the wrong way",
        "Some triangles of a closed mesh had reversed normals, which falsifies its volume. They were corrected.",
        "No action is needed here. Correct the normals in the source if other tools read it.",
        "An STL of which a dozen facets were turned by a repair tool.",
    ),
    "CB313": Entry(
        Severity.INFO,
        "shells of a mesh overlap",
        "One closed shell overlaps another, so their common volume counts twice.",
        "Unite the solids in the CAD system, or give the mass.",
        "A handle pushed 2 mm into its pan before both were written as one mesh.",
    ),
    "CB314": Entry(
        Severity.WARNING,
        "the mass was computed from the collision mesh",
        "The visual mesh is not closed, so the closed collision mesh was used. A hull is larger than the part.",
        "Close the visual mesh, or give the part's mass.",
        "visual.dae is open, collision.stl is a convex hull and weighs more.",
    ),
    "CB315": Entry(
        Severity.INFO,
        "solids overlap",
        "Two parts overlap as placed. Their common volume counts twice in the masses, and real parts cannot overlap.",
        "Cut one part by the other, or correct the placement. Screws in undersized holes change the mass little.",
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
        "parts not tested for overlaps",
        "The test needs closed meshes, and the mesh of this part is open.",
        "Repair the mesh (fill its holes) if its mass matters.",
        "An STL with a missing facet.",
    ),
    "CB318": Entry(
        Severity.WARNING,
        "a declared mass that does not fit the shape",
        "The declared mass differs from volume times density, or needs a density that no material has. Likely "
        "causes are mixed units, a material that was never assigned, or the mass of another part.",
        "Correct the value in the file, or pass --mass from-mesh with a density.",
        "A bracket of 50 cm³ declares 390 kg: it was 390 g.",
    ),
    "CB1433": Entry(
        Severity.WARNING,
        "an inertia that no rigid body has",
        "A principal moment exceeds the sum of the other two, or is below zero. cadbridge computes with the values "
        "unchanged, as Pinocchio does, and gets its accelerations. Drake (1.51) warns and takes the inertia of a ball "
        "of water of the same mass. MuJoCo refuses such values, or replaces the three moments by their mean where "
        "balanceinertia is on, as in an export to MJCF: CB1434 says what each format gets.",
        "Correct the values in the file, override them in the mates file, or use --mass from-mesh with a density.",
        "Moments of inertia of 1, 1 and 5: the largest exceeds the sum of the others.",
    ),
    "CB319": Entry(
        Severity.WARNING,
        "a declared centre of mass or inertia that the shape cannot have",
        "No distribution of mass within the bounding box of the part has this centre of mass or this inertia. "
        "Likely causes are mixed units, or values in another frame; in SDF also a link without <inertia>, which SDF "
        "gives 1 kg m².",
        "Correct the values in the file, or pass --mass from-mesh with a density.",
        "A link of 0.3 m with 0.01 kg whose inertia is 2: it was written in kg mm².",
    ),
    "CB320": Entry(
        Severity.WARNING,
        "an inertia that cannot belong to its mass",
        "The declared inertia is too large (its radius of gyration lies far outside the model) or too small (smaller "
        "than that of a ball of osmium with this mass, or next to nothing beside the distances between the body's "
        "joints). Likely causes are another unit (kg mm², g mm², lengths in mm) and placeholders.",
        "Correct the values in the file or override them in the mates file; with a shape, --mass from-mesh with a "
        "density computes them.",
        "A link of 1 kg whose inertia is 10,000: it was written in g mm².",
    ),
    "CB321": Entry(
        Severity.WARNING,
        "a mass out of proportion",
        "One body weighs a hundred thousand times as much as all others together, or so little that a simulation "
        "cannot distinguish it from a massless one, or less than a hair (6 mg a metre) as long as from its centre to "
        "its farthest joint. Likely causes are g for kg, and placeholders: of a part without a material some exporters "
        "write 1e-9 kg. Its joint then moves as that of no real body does.",
        "Correct the value in the file, or override it in the mates file; with a shape, --mass from-mesh with a "
        "density computes it.",
        "A gripper of 400,000 kg on an arm of 2 kg.",
    ),
    "CB322": Entry(
        Severity.WARNING,
        "a centre of mass beyond the model",
        "The declared centre of mass lies far from all joints of the model. The likely cause is a length in mm "
        "read as m.",
        "Correct the value in the file, or override it in the mates file.",
        "A forearm of 0.4 m with its centre at 180 m.",
    ),
    "CB323": Entry(
        Severity.WARNING,
        "a body beyond reason",
        "A body or one of its joints lies more than 100 km from most bodies of the model. No machine is so large, and "
        "results near such positions have fewer digits. The likely cause is a slip in an origin, or another unit.",
        "Correct the origin in the file, or the unit.",
        "A joint whose origin is 1e9 m from its parent.",
    ),
}

FAMILIES = (Family("mass", "mass properties", Stage.MASS, ENTRIES),)
