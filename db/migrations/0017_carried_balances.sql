CREATE TABLE "carried_balances" (
	"user_id" integer PRIMARY KEY NOT NULL,
	"quota" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "cleared_hours" (
	"hour" bigint PRIMARY KEY NOT NULL,
	"quota" bigint NOT NULL
);
