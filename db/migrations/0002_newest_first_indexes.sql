DROP INDEX "channels_order_idx";--> statement-breakpoint
DROP INDEX "logs_user_idx";--> statement-breakpoint
DROP INDEX "logs_model_idx";--> statement-breakpoint
DROP INDEX "logs_token_idx";--> statement-breakpoint
DROP INDEX "logs_channel_idx";--> statement-breakpoint
DROP INDEX "logs_type_idx";--> statement-breakpoint
DROP INDEX "drawing_tasks_user_idx";--> statement-breakpoint
DROP INDEX "drawing_tasks_channel_idx";--> statement-breakpoint
DROP INDEX "media_tasks_user_idx";--> statement-breakpoint
DROP INDEX "media_tasks_channel_idx";--> statement-breakpoint
DROP INDEX "tokens_user_idx";--> statement-breakpoint
DROP INDEX "rebates_user_idx";--> statement-breakpoint
DROP INDEX "top_up_orders_user_idx";--> statement-breakpoint
DROP INDEX "withdrawals_user_idx";--> statement-breakpoint
CREATE INDEX "logs_failed_idx" ON "logs" USING btree ("created_at","id") WHERE "logs"."failed";--> statement-breakpoint
CREATE INDEX "channels_order_idx" ON "channels" USING btree ("priority","id");--> statement-breakpoint
CREATE INDEX "logs_user_idx" ON "logs" USING btree ("user_id","created_at","id");--> statement-breakpoint
CREATE INDEX "logs_model_idx" ON "logs" USING btree ("model_name","created_at");--> statement-breakpoint
CREATE INDEX "logs_token_idx" ON "logs" USING btree ("token_id","created_at");--> statement-breakpoint
CREATE INDEX "logs_channel_idx" ON "logs" USING btree ("channel_id","created_at");--> statement-breakpoint
CREATE INDEX "logs_type_idx" ON "logs" USING btree ("type","created_at");--> statement-breakpoint
CREATE INDEX "drawing_tasks_user_idx" ON "drawing_tasks" USING btree ("user_id","submit_time");--> statement-breakpoint
CREATE INDEX "drawing_tasks_channel_idx" ON "drawing_tasks" USING btree ("channel_id","submit_time");--> statement-breakpoint
CREATE INDEX "media_tasks_user_idx" ON "media_tasks" USING btree ("user_id","submit_time");--> statement-breakpoint
CREATE INDEX "media_tasks_channel_idx" ON "media_tasks" USING btree ("channel_id","submit_time");--> statement-breakpoint
CREATE INDEX "tokens_user_idx" ON "tokens" USING btree ("user_id","id");--> statement-breakpoint
CREATE INDEX "rebates_user_idx" ON "rebates" USING btree ("user_id","id");--> statement-breakpoint
CREATE INDEX "top_up_orders_user_idx" ON "top_up_orders" USING btree ("user_id","id");--> statement-breakpoint
CREATE INDEX "withdrawals_user_idx" ON "withdrawals" USING btree ("user_id","id");