"""The action server of the town-information bot. Importing it makes the database, so that every action finds one."""

from . import town

town.build()
