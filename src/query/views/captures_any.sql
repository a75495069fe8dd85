-- 1 where the profile :profile has calls that capture graphs, else 0.
SELECT EXISTS (SELECT 1 FROM op_stat o JOIN string n ON n.id = o.name_id
               WHERE o.profile_id = :profile AND o.grain = 0
                 AND instr(n.text, 'StreamBeginCapture') > 0)
