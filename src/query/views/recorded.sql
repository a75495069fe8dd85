-- What the profiles :profiles (ids as a JSON array) have: phases of steps, replays of graphs,
-- regions of torch.compile; 1 or 0.  Names are of all the store.
SELECT EXISTS (SELECT 1 FROM step WHERE phase IS NOT NULL
               AND profile_id IN (SELECT value FROM json_each(:profiles))) AS phases,
       EXISTS (SELECT 1 FROM string WHERE text LIKE '%GraphLaunch%')
           OR EXISTS (SELECT 1 FROM kernel WHERE graph_id <> 0) AS graphs,
       EXISTS (SELECT 1 FROM string WHERE text LIKE 'Torch-Compiled Region%') AS compiled
