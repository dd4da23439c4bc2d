CREATE TABLE "unlogged_calls" (
	"request_id" text NOT NULL,
	"created_at" bigint NOT NULL,
	"user_id" integer NOT NULL,
	"token_id" integer NOT NULL,
	"channel_id" integer NOT NULL,
	"quota" bigint NOT NULL,
	"uncovered" bigint NOT NULL,
	CONSTRAINT "unlogged_calls_request_id_created_at_pk" PRIMARY KEY("request_id","created_at")
);
--> statement-breakpoint
CREATE INDEX "unlogged_calls_created_idx" ON "unlogged_calls" USING btree ("created_at");