ALTER TABLE "logs" ADD COLUMN "tags" text[];--> statement-breakpoint
CREATE INDEX "logs_tags_idx" ON "logs" USING gin ("tags") WHERE "logs"."tags" is not null;--> statement-breakpoint
CREATE INDEX "logs_tagged_idx" ON "logs" USING btree ("created_at") WHERE "logs"."tags" is not null;