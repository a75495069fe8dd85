-- The names of all runs, newest first.
SELECT name FROM run ORDER BY id DESC
