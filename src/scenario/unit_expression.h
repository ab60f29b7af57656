/* unit_expression.h - what a unit such as "kN s2/m" is in base units. */
#ifndef CPS_UNIT_EXPRESSION_H
#define CPS_UNIT_EXPRESSION_H

enum { UNIT_BASES = 8, UNIT_RADIAN = 7 };

typedef struct unit_value {
  double factor;          /* 0: the unit is more than a factor, such as an offset or a logarithm */
  int powers[UNIT_BASES]; /* of m, kg, s, A, K, mol, cd, rad */
} unit_value;

/* Reads a product of units with powers: names ("newton"), symbols ("N"), prefixes, "/", ".", "*", "^", "per", parentheses, superscripts. As in
 * UDUNITS-2, products and quotients are taken from left to right: N/m s is (N/m) s. Returns 0 if it is no unit. */
int cps_unit_parse(const char *text, unit_value *unit);

#endif
