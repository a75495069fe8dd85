/* What keys of the browser do, where that is more than to move; `key` is the one typed. */
#ifndef PTOOL_SCREEN_ACTIONS_H
#define PTOOL_SCREEN_ACTIONS_H

#include "screen/browser.h"

/* Goes to a place, which is moved; NULL: stays. */
void browser_open(struct browser *b, struct place *p);
/* Asks again with another wish; where that fails all stays as it was. */
void browser_wish(struct browser *b, struct place_wish wanted);

/* go.c */
void act_enter(struct browser *b, int key);
void act_choose_way(struct browser *b, int key);
void act_go_back(struct browser *b, int key);
void act_fold_all(struct browser *b, int key);
void act_go_section(struct browser *b, int key);
void act_next_section(struct browser *b, int key);

/* wish.c */
void act_filter(struct browser *b, int key);
void act_sort_next(struct browser *b, int key);
void act_sort_choose(struct browser *b, int key);
void act_reverse(struct browser *b, int key);
void act_widen(struct browser *b, int key);
void act_tell_line(struct browser *b, int key);
void act_ask_again(struct browser *b, int key);

#endif
