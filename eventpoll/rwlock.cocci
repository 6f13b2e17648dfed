// SPDX-License-Identifier: GPL-2.0-only
//
// The lock-free adds of the poll callback, on top of rwlock-naive.cocci: producers that hold the
// ready-list lock for reading add at once.  One patch serves all trees: the two forms of the
// overflow list are its only alternatives.

@ reading @
struct eventpoll *ep;
@@
 read_lock_irqsave(&ep->lock, ...)

// The overflow list, where the tree asks through helpers.
@ depends on reading @
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
@ depends on reading @
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
@ depends on reading @
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

@ depends on reading @
@@
 #include <linux/eventpoll.h>
+#include "eventpoll/rwlock.h"
