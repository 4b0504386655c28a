"""The plan as data: picklable, closed-form, importing nothing of fabricgen's other rooms."""
