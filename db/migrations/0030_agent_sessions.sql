CREATE TABLE "agent_session_calls" (
	"user_id" integer NOT NULL,
	"session_id" text NOT NULL,
	"log_id" bigint NOT NULL,
	"created_at" bigint NOT NULL,
	CONSTRAINT "agent_session_calls_user_id_session_id_log_id_pk" PRIMARY KEY("user_id","session_id","log_id")
);
--> statement-breakpoint
CREATE TABLE "agent_session_fold" (
	"one" smallint PRIMARY KEY DEFAULT 1 NOT NULL,
	"position" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "agent_sessions" (
	"user_id" integer NOT NULL,
	"id" text NOT NULL,
	"source" text NOT NULL,
	"username" text NOT NULL,
	"token_name" text NOT NULL,
	"started_at" bigint NOT NULL,
	"ended_at" bigint NOT NULL,
	"calls" integer NOT NULL,
	"failed" integer NOT NULL,
	"quota" bigint NOT NULL,
	"prompt_tokens" bigint NOT NULL,
	"cached_tokens" bigint NOT NULL,
	"completion_tokens" bigint NOT NULL,
	"elapsed_ms" bigint NOT NULL,
	"tool_calls" integer NOT NULL,
	CONSTRAINT "agent_sessions_user_id_id_pk" PRIMARY KEY("user_id","id")
);
--> statement-breakpoint
CREATE INDEX "agent_sessions_ended_idx" ON "agent_sessions" USING btree ("ended_at");--> statement-breakpoint
CREATE INDEX "agent_sessions_user_idx" ON "agent_sessions" USING btree ("user_id","ended_at");