-- Shapes, element types and values of what operators of the profile :profile were given.
SELECT d.id, d.shapes_id, d.types_id, d.values_id
FROM profile p
JOIN op_detail d ON d.id BETWEEN p.first_op_detail_id AND p.first_op_detail_id + p.op_details - 1
WHERE p.id = :profile
ORDER BY d.id
