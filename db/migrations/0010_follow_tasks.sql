ALTER TABLE "drawing_tasks" ADD COLUMN "bot_type" text DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE "drawing_tasks" ADD COLUMN "custom_id" text DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE "drawing_tasks" ADD COLUMN "charge_id" text DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE "drawing_tasks" ADD COLUMN "refunded" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "drawing_tasks" ADD COLUMN "is_open" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "drawing_tasks" ADD COLUMN "polled_at" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "drawing_tasks" ADD COLUMN "key_hash" text DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE "drawing_tasks" ADD COLUMN "notify_hook" text DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE "media_tasks" ADD COLUMN "model_name" text DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE "media_tasks" ADD COLUMN "upstream_id" text DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE "media_tasks" ADD COLUMN "charge_id" text DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE "media_tasks" ADD COLUMN "refunded" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "media_tasks" ADD COLUMN "is_open" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "media_tasks" ADD COLUMN "polled_at" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "media_tasks" ADD COLUMN "key_hash" text DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE "media_tasks" ADD COLUMN "notify_hook" text DEFAULT '' NOT NULL;--> statement-breakpoint
CREATE INDEX "drawing_tasks_open_idx" ON "drawing_tasks" USING btree ("polled_at","id") WHERE "drawing_tasks"."is_open";--> statement-breakpoint
CREATE INDEX "media_tasks_open_idx" ON "media_tasks" USING btree ("polled_at","id") WHERE "media_tasks"."is_open";