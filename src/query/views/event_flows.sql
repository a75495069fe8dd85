-- All arrows of the store; the categories that the trace gives them are string.id.
SELECT slice_out, slice_in, category_id FROM flow
