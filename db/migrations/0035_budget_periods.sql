ALTER TABLE "budgets" ADD COLUMN "spent_ahead" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "budgets" ADD COLUMN "cleared" bigint DEFAULT 0 NOT NULL;