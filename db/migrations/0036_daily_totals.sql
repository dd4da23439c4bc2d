CREATE TABLE "usage_days" (
	"dimension" text NOT NULL,
	"id" integer NOT NULL,
	"day" bigint NOT NULL,
	"model_name" text NOT NULL,
	"user_id" integer NOT NULL,
	"name" text NOT NULL,
	"count" bigint NOT NULL,
	"failed" bigint NOT NULL,
	"quota" bigint NOT NULL,
	"prompt_tokens" bigint NOT NULL,
	"completion_tokens" bigint NOT NULL,
	"elapsed_ms" bigint NOT NULL,
	CONSTRAINT "usage_days_dimension_id_day_model_name_user_id_pk" PRIMARY KEY("dimension","id","day","model_name","user_id")
);
--> statement-breakpoint
ALTER TABLE "usage_fold" ADD COLUMN "days_until" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
CREATE INDEX "usage_days_day_idx" ON "usage_days" USING brin ("day") WITH (pages_per_range=32,autosummarize=true);--> statement-breakpoint
CREATE FUNCTION take_back_days() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	NEW.days_until := least(NEW.days_until, NEW.until - NEW.until % 86400);
	RETURN NEW;
END
$$;--> statement-breakpoint
-- Whoever takes `until` back, a replica of an earlier version too, need not know of the days.
CREATE TRIGGER usage_fold_take_back_days BEFORE UPDATE ON usage_fold FOR EACH ROW EXECUTE FUNCTION take_back_days();
