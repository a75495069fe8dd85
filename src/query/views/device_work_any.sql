-- 1 where the profiles :profiles (ids as a JSON array) have device work, else 0.
SELECT EXISTS (SELECT 1 FROM op_stat
               WHERE profile_id IN (SELECT value FROM json_each(:profiles)) AND grain = 0
                 AND kind = 1)
