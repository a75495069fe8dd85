-- How many rows of the operator table are device work, in the profiles :profiles (ids as a
-- JSON array): 0 or 1.
SELECT EXISTS (SELECT 1 FROM op_stat
               WHERE profile_id IN (SELECT value FROM json_each(:profiles)) AND grain = 0
                     AND kind = 1)
