-- Pushes that are the newest of their profile, deleted or not, and where their stores are.
SELECT push_id, store_push_id
FROM profile
WHERE push_id GLOBAL IN (SELECT max(push_id) FROM profile GROUP BY profile_key)
FORMAT RowBinary
