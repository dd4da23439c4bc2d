-- Request ids in the order of their bytes: a caller's id, behind which the row's own goes on, is then found by the index
-- whatever the database's language (src/logs/log-filter.ts).
ALTER TABLE "logs" ALTER COLUMN "request_id" TYPE text COLLATE "C";
