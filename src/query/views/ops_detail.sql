-- What the operators of a profile share; a scan of its range of ids.
SELECT d.shapes_id, d.stack_id, d.module_id, d.flops, d.is_backward
FROM profile p
JOIN op_detail d ON d.id BETWEEN p.first_op_detail_id AND p.first_op_detail_id + p.op_details - 1
WHERE p.id = :profile
ORDER BY d.id
