CREATE TABLE "job_turns" (
	"job" text PRIMARY KEY NOT NULL,
	"begun_at" bigint NOT NULL
);
