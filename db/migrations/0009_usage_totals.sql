CREATE TABLE "usage_fold" (
	"id" smallint PRIMARY KEY DEFAULT 1 NOT NULL,
	"until" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "usage_totals" (
	"dimension" text NOT NULL,
	"start" bigint NOT NULL,
	"key" text NOT NULL,
	"count" bigint NOT NULL,
	"failed" bigint NOT NULL,
	"quota" bigint NOT NULL,
	"prompt_tokens" bigint NOT NULL,
	"completion_tokens" bigint NOT NULL,
	"elapsed_ms" bigint NOT NULL,
	CONSTRAINT "usage_totals_dimension_start_key_pk" PRIMARY KEY("dimension","start","key")
);
--> statement-breakpoint
CREATE INDEX "usage_rollups_token_name_idx" ON "usage_rollups" USING btree ("token_name","token_id");