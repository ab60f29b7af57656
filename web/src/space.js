// placeholder while the plane view is made
