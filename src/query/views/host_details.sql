-- The parameters of operators of the profile :profile that run for the backward pass.
SELECT d.id
FROM profile p
JOIN op_detail d ON d.id BETWEEN p.first_op_detail_id AND p.first_op_detail_id + p.op_details - 1
WHERE p.id = :profile AND d.is_backward
ORDER BY d.id
