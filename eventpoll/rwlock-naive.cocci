// SPDX-License-Identifier: GPL-2.0-only
//
// The ready-list lock of fs/eventpoll.c as a rwlock: producers (the poll callback) take it for
// reading, everybody else for writing.
//
// Alone this is the wrong conversion, kept to show that the access-hooked images find it out:
// several producers then add at once with plain list operations, and events are lost.
// rwlock.cocci, applied on top, makes the adds lock-free.

@ spinning @
@@
 struct eventpoll {
 ...
-spinlock_t lock;
+rwlock_t lock;
 ...
 };

@ depends on spinning @
@@
 struct eventpoll {
 ...
-seqcount_spinlock_t seq;
+seqcount_rwlock_t seq;
 ...
 };

@ depends on spinning @
struct eventpoll *ep;
@@
-seqcount_spinlock_init(&ep->seq, &ep->lock)
+seqcount_rwlock_init(&ep->seq, &ep->lock)

@ depends on spinning @
struct eventpoll *ep;
@@
-spin_lock_init(&ep->lock)
+rwlock_init(&ep->lock)

@ depends on spinning @
struct eventpoll *ep;
@@
-spin_lock_irq(&ep->lock)
+write_lock_irq(&ep->lock)

@ depends on spinning @
struct eventpoll *ep;
@@
-spin_unlock_irq(&ep->lock)
+write_unlock_irq(&ep->lock)

@ depends on spinning @
struct eventpoll *ep;
expression flags;
@@
 ep_poll_callback(...)
 {
 <...
(
-spin_lock_irqsave(&ep->lock, flags)
+read_lock_irqsave(&ep->lock, flags)
|
-spin_unlock_irqrestore(&ep->lock, flags)
+read_unlock_irqrestore(&ep->lock, flags)
)
 ...>
 }
