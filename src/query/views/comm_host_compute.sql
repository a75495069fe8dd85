-- When operators (class :op) ran among the slices :first to :last, which are those of a
-- profile.
SELECT ts, dur, name_id FROM slice_row
WHERE id BETWEEN :first AND :last AND class = :op ORDER BY id
