ALTER TABLE "plans" ADD COLUMN "models" text[] DEFAULT '{}' NOT NULL;--> statement-breakpoint
ALTER TABLE "subscriptions" ADD COLUMN "own_quota" boolean DEFAULT false NOT NULL;