// SPDX-License-Identifier: GPL-2.0-only
//
// The experiment of 2018: whoever wakes a waiter of an epoll file does so without the lock of its
// wait queue.  All who touch the queue hold the ready-list lock, which is a spinlock here, so the
// inner lock adds nothing but its cost.

@@
struct eventpoll *ep;
@@
(
-wake_up(&ep->wq)
+wake_up_locked(&ep->wq)
|
-wake_up_sync(&ep->wq)
+__wake_up_locked_sync_key(&ep->wq, TASK_NORMAL, NULL)
)
