Attribute VB_Name = "CadbridgeMates"
' Writes NAME.mates.yaml beside the active Inventor assembly: the mates file of cadbridge.
' Not run where it was written: it follows Inventor's published interface. See scripts/cad/README.md.
' Inventor's lengths are centimetres; the file's are millimetres and degrees.
Option Explicit

Private Const MM As Double = 10          ' millimetres a centimetre
Private Const SAME As Double = 0.000001  ' directions that agree
Private file As Integer
Private written As Long
Private left_out As Long

Public Sub WriteMates()
    Dim doc As AssemblyDocument
    Set doc = ThisApplication.ActiveDocument
    Dim path As String
    path = Left(doc.FullFileName, InStrRev(doc.FullFileName, ".") - 1) & ".mates.yaml"
    file = FreeFile
    written = 0
    left_out = 0
    Open path For Output As #file
    Print #file, "format: cadbridge.mates/1"
    Print #file, "units: {length: mm, angle: deg}"
    WriteGround doc.ComponentDefinition
    Print #file, "mates:"
    Dim c As AssemblyConstraint
    For Each c In doc.ComponentDefinition.Constraints
        If Not c.Suppressed Then WriteMate c
    Next
    Print #file, "gears:"
    For Each c In doc.ComponentDefinition.Constraints
        If Not c.Suppressed Then WriteGear c
    Next
    If doc.ComponentDefinition.Joints.Count > 0 Then
        LeftOut doc.ComponentDefinition.Joints.Count & " joints (Inventor's own)", "have no line here"
    End If
    Close #file
    MsgBox written & " mates written, " & left_out & " left out (see the comments in " & path & ")"
End Sub

Private Sub WriteGround(def As AssemblyComponentDefinition)
    Dim o As ComponentOccurrence
    Dim names As String
    For Each o In def.Occurrences
        If o.Grounded Then names = names & IIf(names = "", "", ", ") & Quoted(o.Name)
    Next
    Print #file, "ground: [" & names & "]"
End Sub

' Mates between two geometries; rotation constraints are gears and come later.
Private Sub WriteMate(c As AssemblyConstraint)
    Select Case c.Type
        Case kRotateRotateConstraintObject, kRotateTranslateConstraintObject
            Exit Sub
        Case kMateConstraintObject
            WritePair c, "type: coincident", True
        Case kFlushConstraintObject
            ' The sense of normals is taken from the position as drawn, as for a mate.
            WritePair c, "type: coincident", True
        Case kInsertConstraintObject
            WritePair c, "type: insert", True
        Case kAngleConstraintObject
            WritePair c, "type: angle", False
        Case kTangentConstraintObject
            WritePair c, "type: tangent", False
        Case Else
            LeftOut c.Name, "is a " & TypeName(c)
    End Select
End Sub

Private Sub WritePair(c As AssemblyConstraint, kind As String, measured As Boolean)
    Dim a As String, b As String
    Dim pa(2) As Double, da(2) As Double, pb(2) As Double, db(2) As Double
    Dim ka As String, kb As String, ra As Double, rb As Double
    If Not Geometry(c.GeometryOne, ka, pa, da, ra) Or Not Geometry(c.GeometryTwo, kb, pb, db, rb) Then
        LeftOut c.Name, "holds " & TypeName(c.GeometryOne) & " and " & TypeName(c.GeometryTwo)
        Exit Sub
    End If
    a = Feature(c.OccurrenceOne, ka, pa, da, ra)
    b = Feature(c.OccurrenceTwo, kb, pb, db, rb)
    Dim more As String
    If measured And ka <> "point" And kind <> "type: angle" Then
        If ka = "normal" Or kind = "type: insert" Then more = ", offset: " & Num(Height(pa, da, pb) * MM)
    End If
    If kind = "type: angle" Then more = ", angle: " & Num(Between(da, db))
    If kind = "type: tangent" Then more = IIf(c.InsideTangency, ", inside: true", "")
    If Limited(c) Then
        LeftOut c.Name, "has limits: " & Range(c) & " (cm or rad); give them to a joint"
        If ka <> "normal" Or kb <> "normal" Or kind = "type: angle" Then Exit Sub
        kind = "type: parallel"
        more = ""
    End If
    Print #file, "  - {name: " & Quoted(c.Name) & ", " & kind & ", a: " & a & ", b: " & b & more & "}"
    written = written + 1
End Sub

Private Sub WriteGear(c As AssemblyConstraint)
    If c.Type <> kRotateRotateConstraintObject And c.Type <> kRotateTranslateConstraintObject Then Exit Sub
    Dim pa(2) As Double, da(2) As Double, pb(2) As Double, db(2) As Double
    Dim ka As String, kb As String, ra As Double, rb As Double
    If Not Geometry(c.GeometryOne, ka, pa, da, ra) Or Not Geometry(c.GeometryTwo, kb, pb, db, rb) Then
        LeftOut c.Name, "holds no axes"
        Exit Sub
    End If
    Dim sides As String
    sides = ", a: " & Feature(c.OccurrenceOne, "axis", pa, da, 0) & ", b: " & Feature(c.OccurrenceTwo, "axis", pb, db, 0)
    If c.Type = kRotateRotateConstraintObject Then
        Dim turns As Double
        turns = c.Ratio.Value * IIf(c.ForwardDirection, 1, -1)
        Print #file, "  - {name: " & Quoted(c.Name) & ", type: ratio" & sides & ", ratio: " & Num(turns) & "}"
    Else
        ' The rack travels by Ratio (cm) for one turn of the pinion.
        Print #file, "  - {name: " & Quoted(c.Name) & ", type: rack_pinion" & sides & _
            ", radius: " & Num(Abs(c.Ratio.Value) * MM / 6.28318530717959) & "}"
    End If
    written = written + 1
End Sub

' Point and direction of a geometry in the assembly's frame, cm. kind: normal, axis or point.
Private Function Geometry(g As Object, kind As String, p() As Double, d() As Double, r As Double) As Boolean
    r = 0
    Geometry = True
    Select Case TypeName(g)
        Case "Plane": kind = "normal": Take p, g.RootPoint: Take d, g.Normal
        Case "Line": kind = "axis": Take p, g.RootPoint: Take d, g.Direction
        Case "LineSegment": kind = "axis": Take p, g.StartPoint: Take d, g.Direction
        Case "Circle", "Arc3d": kind = "axis": Take p, g.Center: Take d, g.Normal
        Case "Cylinder": kind = "axis": Take p, g.BasePoint: Take d, g.AxisVector: r = g.Radius
        Case "Cone": kind = "axis": Take p, g.BasePoint: Take d, g.AxisVector
        Case "Sphere": kind = "point": Take p, g.CenterPoint: r = g.Radius
        Case "Point": kind = "point": Take p, g
        Case Else: Geometry = False
    End Select
End Function

Private Sub Take(v() As Double, g As Object)
    v(0) = g.X: v(1) = g.Y: v(2) = g.Z
End Sub

' A feature in the frame of the top-level component that holds the occurrence; the ground without one.
Private Function Feature(o As ComponentOccurrence, kind As String, p() As Double, d() As Double, r As Double) As String
    Dim name As String
    Dim t As Matrix
    If o Is Nothing Then
        name = "ground"
        Set t = ThisApplication.TransientGeometry.CreateMatrix
    Else
        Dim top As ComponentOccurrence
        Set top = o.OccurrencePath.Item(1)
        name = top.Name
        Set t = top.Transformation
    End If
    Dim at As Inventor.Point, along As Inventor.Vector
    t.Invert
    Set at = ThisApplication.TransientGeometry.CreatePoint(p(0), p(1), p(2))
    at.TransformBy t
    Feature = "{component: " & Quoted(name) & ", point: " & Triple(at.X * MM, at.Y * MM, at.Z * MM)
    If kind <> "point" Then
        Set along = ThisApplication.TransientGeometry.CreateVector(d(0), d(1), d(2))
        along.TransformBy t
        Feature = Feature & ", " & kind & ": " & Triple(along.X, along.Y, along.Z)
    End If
    If r > 0 And kind <> "normal" Then Feature = Feature & ", radius: " & Num(r * MM)
    Feature = Feature & "}"
End Function

Private Function Limited(c As AssemblyConstraint) As Boolean
    Limited = c.ConstraintLimits.MinimumEnabled Or c.ConstraintLimits.MaximumEnabled
End Function

Private Function Range(c As AssemblyConstraint) As String
    If c.ConstraintLimits.MinimumEnabled Then Range = "from " & Num(c.ConstraintLimits.Minimum.Value)
    If c.ConstraintLimits.MaximumEnabled Then Range = Range & " to " & Num(c.ConstraintLimits.Maximum.Value)
End Function

Private Function Height(pa() As Double, da() As Double, pb() As Double) As Double
    Height = da(0) * (pb(0) - pa(0)) + da(1) * (pb(1) - pa(1)) + da(2) * (pb(2) - pa(2))
End Function

Private Function Between(da() As Double, db() As Double) As Double
    Dim cosine As Double
    cosine = da(0) * db(0) + da(1) * db(1) + da(2) * db(2)
    If cosine > 1 - SAME Then
        Between = 0
    ElseIf cosine < SAME - 1 Then
        Between = 180
    Else
        Between = (1.5707963267949 - Atn(cosine / Sqr(1 - cosine * cosine))) * 57.2957795130823
    End If
End Function

Private Sub LeftOut(name As String, why As String)
    Print #file, "  # left out: " & name & " " & why
    left_out = left_out + 1
End Sub

Private Function Triple(x As Double, y As Double, z As Double) As String
    Triple = "[" & Num(x) & ", " & Num(y) & ", " & Num(z) & "]"
End Function

' A number with a point whatever the country, and a digit before it.
Private Function Num(x As Double) As String
    Num = Trim(Str(x))
    If Left(Num, 1) = "." Then Num = "0" & Num
    If Left(Num, 2) = "-." Then Num = "-0" & Mid(Num, 2)
End Function

Private Function Quoted(text As String) As String
    Quoted = """" & Replace(Replace(text, "\", "\\"), """", "\""") & """"
End Function
