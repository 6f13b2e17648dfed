// SPDX-License-Identifier: GPL-2.0-only
//
// The ready-list lock of fs/eventpoll.c as a rwlock: producers (the poll callback) take it for
// reading, everybody else for writing.
//
// Several producers add at once then, so both adds of the callback become lock-free as well;
// the lock swap alone would lose events.  One patch serves all trees: the two forms of the
// overflow list are its only alternatives.

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

// The overflow list, where the tree asks through helpers.
@ depends on spinning @
struct eventpoll *ep;
struct epitem *epi;
@@
 ep_poll_callback(...)
 {
 <...
-if (!epi_on_ovflist(epi)) {
-	epi->ovflist_next = READ_ONCE(ep->ovflist);
-	WRITE_ONCE(ep->ovflist, epi);
+if (lockstep_push(epi, epi->ovflist_next, ep->ovflist, EP_UNACTIVE_PTR)) {
 	...
 }
 ...>
 }

// The overflow list, written out.
@ depends on spinning @
struct eventpoll *ep;
struct epitem *epi;
@@
 ep_poll_callback(...)
 {
 <...
-if (epi->next == EP_UNACTIVE_PTR) {
-	epi->next = READ_ONCE(ep->ovflist);
-	WRITE_ONCE(ep->ovflist, epi);
+if (lockstep_push(epi, epi->next, ep->ovflist, EP_UNACTIVE_PTR)) {
 	...
 }
 ...>
 }

// The ready list: the test for being linked stays, it spares the exchange.
@ depends on spinning @
struct eventpoll *ep;
struct epitem *epi;
identifier stay;
@@
 ep_poll_callback(...)
 {
 <...
 if (!ep_is_linked(epi)) {
-	list_add_tail(&epi->rdllink, &ep->rdllist);
-	stay(epi);
+	if (lockstep_add_tail(&epi->rdllink, &ep->rdllist))
+		stay(epi);
 }
 ...>
 }

@ depends on spinning @
@@
 #include <linux/eventpoll.h>
+#include "eventpoll/rwlock.h"
