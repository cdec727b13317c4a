Attribute VB_Name = "CadbridgeMates"
' Writes NAME.mates.yaml beside the active SolidWorks assembly: the mates file of cadbridge.
' Not run where it was written: it follows SolidWorks' published interface. See scripts/cad/README.md.
' SolidWorks' lengths are metres, its angles radians; the file's are millimetres and degrees.
Option Explicit

Private Const MM As Double = 1000        ' millimetres a metre
Private Const SAME As Double = 0.000001  ' directions that agree
Private file As Integer
Private written As Long
Private left_out As Long
Private assembly As SldWorks.AssemblyDoc

Public Sub main()
    Dim app As SldWorks.SldWorks
    Dim model As SldWorks.ModelDoc2
    Set app = Application.SldWorks
    Set model = app.ActiveDoc
    Set assembly = model
    Dim path As String
    path = Left(model.GetPathName, InStrRev(model.GetPathName, ".") - 1) & ".mates.yaml"
    file = FreeFile
    written = 0
    left_out = 0
    Open path For Output As #file
    Print #file, "format: cadbridge.mates/1"
    Print #file, "units: {length: mm, angle: deg}"
    WriteGround
    Print #file, "mates:"
    EachMate model, False
    Print #file, "gears:"
    EachMate model, True
    Close #file
    MsgBox written & " mates written, " & left_out & " left out (see the comments in " & path & ")"
End Sub

Private Sub WriteGround()
    Dim c As Variant
    Dim names As String
    For Each c In assembly.GetComponents(True)
        If c.IsFixed Then names = names & IIf(names = "", "", ", ") & Quoted(c.Name2)
    Next
    Print #file, "ground: [" & names & "]"
End Sub

' The mates stand below the feature MateGroup.
Private Sub EachMate(model As SldWorks.ModelDoc2, gears As Boolean)
    Dim group As SldWorks.Feature, f As SldWorks.Feature
    Dim m As SldWorks.Mate2
    Set group = model.FirstFeature
    Do While Not group Is Nothing
        If group.GetTypeName2 = "MateGroup" Then
            Set f = group.GetFirstSubFeature
            Do While Not f Is Nothing
                If Not f.IsSuppressed And TypeOf f.GetSpecificFeature2 Is SldWorks.Mate2 Then
                    Set m = f.GetSpecificFeature2
                    If gears Then WriteGear f, m Else WriteMate f, m
                End If
                Set f = f.GetNextSubFeature
            Loop
        End If
        Set group = group.GetNextFeature
    Loop
End Sub

Private Sub WriteMate(f As SldWorks.Feature, m As SldWorks.Mate2)
    Select Case m.Type
        Case swMateCOINCIDENT: WritePair f.Name, m, 0, 1, "type: coincident"
        Case swMateCONCENTRIC: WritePair f.Name, m, 0, 1, "type: concentric"
        Case swMatePERPENDICULAR: WritePair f.Name, m, 0, 1, "type: perpendicular"
        Case swMatePARALLEL: WritePair f.Name, m, 0, 1, "type: parallel"
        Case swMateTANGENT: WritePair f.Name, m, 0, 1, "type: tangent"
        Case swMateDISTANCE: WritePair f.Name, m, 0, 1, "type: distance"
        Case swMateANGLE: WritePair f.Name, m, 0, 1, "type: angle"
        Case swMateLOCK: WritePair f.Name, m, 0, 1, "type: fixed"
        Case swMateHINGE
            WritePair f.Name, m, 0, 1, "type: concentric"
            WritePair f.Name & " plane", m, 2, 3, "type: coincident"
        Case swMateGEAR, swMateRACKPINION
            ' these are gears and come later
        Case Else
            LeftOut f.Name, "is a mate of type " & m.Type
    End Select
End Sub

Private Sub WritePair(name As String, m As SldWorks.Mate2, i As Long, j As Long, kind As String)
    If m.GetMateEntityCount <= j Then
        LeftOut name, "has " & m.GetMateEntityCount & " entities"
        Exit Sub
    End If
    Dim a As SldWorks.MateEntity2, b As SldWorks.MateEntity2
    Set a = m.MateEntity(i)
    Set b = m.MateEntity(j)
    Dim pa As Variant, pb As Variant
    pa = a.EntityParams
    pb = b.EntityParams
    If KindOf(a) = "" Or KindOf(b) = "" Then
        LeftOut name, "holds entities of type " & a.ReferenceType2 & " and " & b.ReferenceType2
        Exit Sub
    End If
    Dim more As String
    If m.Type = swMateDISTANCE Or m.Type = swMateANGLE Then
        If m.MaximumVariation <> m.MinimumVariation Then
            LeftOut name, "has limits: from " & Num(m.MinimumVariation) & " to " & Num(m.MaximumVariation) & _
                " (m or rad); give them to a joint"
            If m.Type = swMateANGLE Or KindOf(a) <> "normal" Or KindOf(b) <> "normal" Then Exit Sub
            kind = "type: parallel"
        ElseIf m.Type = swMateANGLE Then
            more = ", angle: " & Num(Between(pa, pb))
        Else
            more = ", distance: " & Num(Apart(a, b, pa, pb) * MM)
        End If
    End If
    Print #file, "  - {name: " & Quoted(name) & ", " & kind & ", a: " & Feature(a, pa) & ", b: " & Feature(b, pb) & more & "}"
    written = written + 1
End Sub

Private Sub WriteGear(f As SldWorks.Feature, m As SldWorks.Mate2)
    If m.Type <> swMateGEAR And m.Type <> swMateRACKPINION Then Exit Sub
    Dim a As SldWorks.MateEntity2, b As SldWorks.MateEntity2
    Set a = m.MateEntity(0)
    Set b = m.MateEntity(1)
    Dim sides As String
    If m.Type = swMateGEAR Then
        Dim g As SldWorks.GearMateFeatureData
        Set g = f.GetDefinition
        sides = ", a: " & Axis(a) & ", b: " & Axis(b)
        Print #file, "  - {name: " & Quoted(f.Name) & ", type: spur" & sides & _
            ", ratio: " & Num(g.GearRatioDenominator / g.GearRatioNumerator) & "}"
        If g.Reverse Then Print #file, "  # " & f.Name & " is reversed: make it `type: internal` or `type: ratio`"
    Else
        ' The entities are the rack's edge, then the pinion's cylinder.
        Dim r As SldWorks.RackPinionMateFeatureData
        Set r = f.GetDefinition
        Dim diameter As Double
        diameter = r.DiameterVal
        If r.DiameterType = swRackTravelPerRevolution Then diameter = diameter / 3.14159265358979
        sides = ", a: " & Axis(b) & ", b: " & Axis(a)
        Print #file, "  - {name: " & Quoted(f.Name) & ", type: rack_pinion" & sides & _
            ", radius: " & Num(diameter * MM / 2) & "}"
    End If
    written = written + 1
End Sub

' What a mate entity is in the mates file: normal, axis or point; "" for anything else.
Private Function KindOf(e As SldWorks.MateEntity2) As String
    Select Case e.ReferenceType2
        Case 0, 5: KindOf = "point"            ' point, sphere
        Case 1, 2, 4, 7: KindOf = "axis"       ' line, circle, cylinder, cone
        Case 3: KindOf = "normal"              ' plane
        Case Else: KindOf = ""
    End Select
End Function

Private Function Axis(e As SldWorks.MateEntity2) As String
    Axis = Said(e, "axis", e.EntityParams)
End Function

Private Function Feature(e As SldWorks.MateEntity2, p As Variant) As String
    Feature = Said(e, KindOf(e), p)
End Function

' A feature in the frame of the top-level component that holds the entity; the ground without one.
' p: point (m), direction, radius, in the assembly's frame.
Private Function Said(e As SldWorks.MateEntity2, kind As String, p As Variant) As String
    Dim name As String
    Dim t As Variant
    t = Array(1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1)
    name = "ground"
    If Not e.ReferenceComponent Is Nothing Then
        name = Split(e.ReferenceComponent.Name2, "/")(0)
        Dim top As SldWorks.Component2
        Set top = assembly.GetComponentByName(name)
        If top Is Nothing Then
            name = "ground"
        Else
            t = top.Transform2.ArrayData
        End If
    End If
    Dim x As Double, y As Double, z As Double
    x = p(0) - t(9): y = p(1) - t(10): z = p(2) - t(11)
    Said = "{component: " & Quoted(name) & ", point: " & Turned(t, x * MM, y * MM, z * MM)
    If kind <> "point" Then Said = Said & ", " & kind & ": " & Turned(t, CDbl(p(3)), CDbl(p(4)), CDbl(p(5)))
    If kind <> "normal" And p(6) > 0 Then Said = Said & ", radius: " & Num(p(6) * MM)
    Said = Said & "}"
End Function

' A vector of the assembly's frame in the component's: the rows of t are the component's axes.
Private Function Turned(t As Variant, x As Double, y As Double, z As Double) As String
    Turned = "[" & Num(t(0) * x + t(1) * y + t(2) * z) & ", " & Num(t(3) * x + t(4) * y + t(5) * z) & ", " & _
        Num(t(6) * x + t(7) * y + t(8) * z) & "]"
End Function

Private Function Between(a As Variant, b As Variant) As Double
    Dim cosine As Double
    cosine = a(3) * b(3) + a(4) * b(4) + a(5) * b(5)
    If cosine > 1 - SAME Then
        Between = 0
    ElseIf cosine < SAME - 1 Then
        Between = 180
    Else
        Between = (1.5707963267949 - Atn(cosine / Sqr(1 - cosine * cosine))) * 57.2957795130823
    End If
End Function

' How far two entities are apart, m: along a plane's normal, else across a line, else from point to point.
Private Function Apart(a As SldWorks.MateEntity2, b As SldWorks.MateEntity2, pa As Variant, pb As Variant) As Double
    Dim d As Variant, g(2) As Double, along As Double, i As Long
    For i = 0 To 2
        g(i) = pb(i) - pa(i)
    Next
    Dim total As Double
    total = g(0) * g(0) + g(1) * g(1) + g(2) * g(2)
    d = IIf(KindOf(a) = "normal" Or (KindOf(a) = "axis" And KindOf(b) <> "normal"), pa, pb)
    along = d(3) * g(0) + d(4) * g(1) + d(5) * g(2)
    If KindOf(a) = "normal" Or KindOf(b) = "normal" Then
        Apart = Abs(along)
    ElseIf KindOf(a) = "point" And KindOf(b) = "point" Then
        Apart = Sqr(total)
    ElseIf total > along * along Then
        Apart = Sqr(total - along * along)
    End If
End Function

Private Sub LeftOut(name As String, why As String)
    Print #file, "  # left out: " & name & " " & why
    left_out = left_out + 1
End Sub

' A number with a point whatever the country, and a digit before it.
Private Function Num(x As Double) As String
    Num = Trim(Str(x))
    If Left(Num, 1) = "." Then Num = "0" & Num
    If Left(Num, 2) = "-." Then Num = "-0" & Mid(Num, 2)
End Function

Private Function Quoted(text As String) As String
    Quoted = """" & Replace(Replace(text, "\", "\\"), """", "\""") & """"
End Function
