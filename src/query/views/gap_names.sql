-- What the profiles :profiles have: a fused optimizer, a device without CUDA graphs (an XPU,
-- Meta's MTIA, Intel's Gaudi), operators.
SELECT max(n.text GLOB 'aten::_fused_ad*' OR n.text GLOB 'aten::_fused_sgd*'),
       max(n.text GLOB 'urEnqueue*') OR
           EXISTS (SELECT 1 FROM profile WHERE device_type IN ('MTIA', 'HPU')
                   AND id IN (SELECT value FROM json_each(:profiles))), max(instr(n.text, '::') > 0)
FROM op_stat o
CROSS JOIN string n ON n.id = o.name_id
WHERE o.profile_id IN (SELECT value FROM json_each(:profiles)) AND o.grain = 0 AND o.kind = 0
