"""What OCCT loses of a STEP text is read from it by the scanner that reads its kinematics."""

from __future__ import annotations

import pytest

from cadbridge.shapes.entities import Density, Operator, densities, operators

PRODUCT = """#{0}=PRODUCT_DEFINITION('','',#{0}1,$);
#{0}1=PRODUCT_DEFINITION_FORMATION('','',#{0}2);
#{0}2=PRODUCT('{1}','{1}','',());
"""


def test_a_density_belongs_to_the_product_by_its_name_in_unicode() -> None:
    text = PRODUCT.format(1, r"Tr\X2\00E4\X0\ger") + (
        "#20=PROPERTY_DEFINITION_REPRESENTATION(#21,#22);\n#21=PROPERTY_DEFINITION('material property','',#1);\n"
        "#22=REPRESENTATION('density',(#23),$);/* #1=PRODUCT('x','x','',()); */\n"
        "#23=MEASURE_REPRESENTATION_ITEM('density measure',MASS_DENSITY_MEASURE(7.85),#24);\n"
        "#24=DERIVED_UNIT((#25,#26));\n#25=DERIVED_UNIT_ELEMENT(#27,1.);\n#26=DERIVED_UNIT_ELEMENT(#28,-3.);\n"
        "#27=(MASS_UNIT()NAMED_UNIT(*)SI_UNIT($,.GRAM.));\n#28=(LENGTH_UNIT()NAMED_UNIT(*)SI_UNIT(.CENTI.,.METRE.));\n"
    )
    ((name, found),) = densities(text.encode()).items()
    assert (name, found.value) == ("Träger", 7.85)
    assert found.factor == pytest.approx(1000.0)
    broken = text.replace("#28=(LENGTH_UNIT()", "#28=((")
    assert densities(broken.encode()) == {"Träger": Density(7.85, None)}


@pytest.mark.parametrize(
    ("third", "scale", "expected"), [("#44", "1.", (True, 1.0)), ("$", "2.", (False, 2.0)), ("$", "1.", None)]
)
def test_a_placement_that_mirrors_or_scales_is_found(
    third: str, scale: str, expected: tuple[bool, float] | None
) -> None:
    text = (PRODUCT.format(1, "whole") + PRODUCT.format(2, "part")) + (
        "#30=CONTEXT_DEPENDENT_SHAPE_REPRESENTATION(#31,#32);\n#32=PRODUCT_DEFINITION_SHAPE('','',#33);\n"
        "#33=NEXT_ASSEMBLY_USAGE_OCCURRENCE('1','part:1','',#1,#2,$);\n"
        "#31=(REPRESENTATION_RELATIONSHIP('','',#8,#9)REPRESENTATION_RELATIONSHIP_WITH_TRANSFORMATION(#40)"
        "SHAPE_REPRESENTATION_RELATIONSHIP());\n"
        f"#40=CARTESIAN_TRANSFORMATION_OPERATOR_3D('','','',#41,#42,#43,{scale},{third});\n"
        "#41=DIRECTION('',(1.,0.,0.));\n#42=DIRECTION('',(0.,1.,0.));\n#44=DIRECTION('',(0.,0.,-1.));\n"
    )
    found = operators(text.encode())
    assert found == ([] if expected is None else [Operator("whole", "part", "part:1", *expected)])
