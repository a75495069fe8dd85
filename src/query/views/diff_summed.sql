-- Are there operators of all steps together (schema.sql, op_stat) in the profiles :profiles?
SELECT EXISTS (SELECT 1 FROM op_stat
               WHERE profile_id IN (SELECT value FROM json_each(:profiles)) AND grain = 3)
