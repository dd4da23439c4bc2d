ALTER TABLE "payment_cases" ADD COLUMN "payment_no" text DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE "payment_cases" ADD COLUMN "is_paid_back" boolean DEFAULT false NOT NULL;--> statement-breakpoint
CREATE INDEX "payment_cases_waiting_idx" ON "payment_cases" USING btree ("payment_no") WHERE "payment_cases"."user_id" is null and "payment_cases"."payment_no" <> '';