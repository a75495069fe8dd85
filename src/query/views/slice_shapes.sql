-- The shapes of the inputs of the operator :id, as Python prints them; NULL where they are
-- not recorded.
SELECT d.shapes_id FROM slice_row s LEFT JOIN op_detail d ON d.id = s.op_detail_id
WHERE s.id = :id
