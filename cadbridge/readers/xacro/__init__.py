"""xacro: macros, properties and includes expanded to a URDF, without ROS.

`process` asks and `child` answers, in a process of its own. Nothing is loaded here: the child is started for each file
and needs no NumPy, which takes longer to load than most files to expand.
"""
