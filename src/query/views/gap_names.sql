-- What the profiles :profiles have: a fused optimizer, calls of an XPU, operators.
SELECT max(n.text GLOB 'aten::_fused_ad*' OR n.text GLOB 'aten::_fused_sgd*'),
       max(n.text GLOB 'urEnqueue*'), max(instr(n.text, '::') > 0)
FROM op_stat o
CROSS JOIN string n ON n.id = o.name_id
WHERE o.profile_id IN (SELECT value FROM json_each(:profiles)) AND o.grain = 0 AND o.kind = 0
