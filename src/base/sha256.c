/* sha256.c - SHA-256, FIPS 180-4. */
#include "sha256.h"
#include "capstan.h"
#include "processor.h"

#include <string.h>

static const uint32_t k[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

static uint32_t turn(uint32_t x, int n) { return x >> n | x << (32 - n); }

/* A round, the j-th of eight. Instead of the eight words moving on by one, their names do: unrolled, the indices are constants. */
static inline void v_round(uint32_t v[8], int j, uint32_t more) {
  uint32_t a = v[(8 - j) & 7], b = v[(9 - j) & 7], c = v[(10 - j) & 7];
  uint32_t e = v[(12 - j) & 7], f = v[(13 - j) & 7], g = v[(14 - j) & 7], *h = &v[(15 - j) & 7];
  uint32_t t1 = *h + (turn(e, 6) ^ turn(e, 11) ^ turn(e, 25)) + ((e & f) ^ (~e & g)) + more;
  uint32_t t2 = (turn(a, 2) ^ turn(a, 13) ^ turn(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
  v[(11 - j) & 7] += t1;
  *h = t1 + t2;
}

static void compress_plain(sha256 *s, const unsigned char *block) {
  uint32_t w[64], v[8];
  for (int i = 0; i < 16; i++)
    w[i] = (uint32_t)block[4 * i] << 24 | (uint32_t)block[4 * i + 1] << 16 | (uint32_t)block[4 * i + 2] << 8 |
           block[4 * i + 3];
  for (int i = 16; i < 64; i++) {
    uint32_t a = w[i - 15], b = w[i - 2];
    w[i] = w[i - 16] + (turn(a, 7) ^ turn(a, 18) ^ a >> 3) + w[i - 7] + (turn(b, 17) ^ turn(b, 19) ^ b >> 10);
  }
  memcpy(v, s->state, sizeof v);
  for (int i = 0; i < 64; i += 8) {
    v_round(v, 0, k[i] + w[i]);
    v_round(v, 1, k[i + 1] + w[i + 1]);
    v_round(v, 2, k[i + 2] + w[i + 2]);
    v_round(v, 3, k[i + 3] + w[i + 3]);
    v_round(v, 4, k[i + 4] + w[i + 4]);
    v_round(v, 5, k[i + 5] + w[i + 5]);
    v_round(v, 6, k[i + 6] + w[i + 6]);
    v_round(v, 7, k[i + 7] + w[i + 7]);
  }
  for (int i = 0; i < 8; i++) s->state[i] += v[i];
}

#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>

/* The same with the processor's instructions, four words at a time. They keep the state as (a b e f) and (c d g h). */
__attribute__((target("sha,sse4.1"))) static void compress_fast(sha256 *s, const unsigned char *block) {
  const __m128i big_endian = _mm_set_epi64x(0x0c0d0e0f08090a0b, 0x0405060700010203);
  __m128i cdab = _mm_shuffle_epi32(_mm_loadu_si128((const __m128i *)(const void *)s->state), 0xb1);
  __m128i efgh = _mm_shuffle_epi32(_mm_loadu_si128((const __m128i *)(const void *)(s->state + 4)), 0x1b);
  __m128i abef = _mm_alignr_epi8(cdab, efgh, 8), cdgh = _mm_blend_epi16(efgh, cdab, 0xf0);
  __m128i w[16], abef_before = abef, cdgh_before = cdgh;
  for (int i = 0; i < 16; i++) {
    if (i < 4) {
      __m128i text = _mm_loadu_si128((const __m128i *)(const void *)(block + 16 * i));
      w[i] = _mm_shuffle_epi8(text, big_endian);
    } else {
      __m128i sum = _mm_add_epi32(_mm_sha256msg1_epu32(w[i - 4], w[i - 3]),
                                  _mm_alignr_epi8(w[i - 1], w[i - 2], 4));
      w[i] = _mm_sha256msg2_epu32(sum, w[i - 1]);
    }
    __m128i more = _mm_add_epi32(w[i], _mm_loadu_si128((const __m128i *)(const void *)(k + 4 * i)));
    cdgh = _mm_sha256rnds2_epu32(cdgh, abef, more);
    abef = _mm_sha256rnds2_epu32(abef, cdgh, _mm_shuffle_epi32(more, 0x0e));
  }
  abef = _mm_add_epi32(abef, abef_before);
  cdgh = _mm_add_epi32(cdgh, cdgh_before);
  __m128i feba = _mm_shuffle_epi32(abef, 0x1b), dchg = _mm_shuffle_epi32(cdgh, 0xb1);
  _mm_storeu_si128((__m128i *)(void *)s->state, _mm_blend_epi16(feba, dchg, 0xf0));
  _mm_storeu_si128((__m128i *)(void *)(s->state + 4), _mm_alignr_epi8(dchg, feba, 8));
}
#else
static void compress_fast(sha256 *s, const unsigned char *block) { compress_plain(s, block); }
#endif

void cps_sha256_start(sha256 *s) {
  static const uint32_t start[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                    0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  memcpy(s->state, start, sizeof start);
  s->length = 0;
  s->fast = cps_has_sha();
}

void cps_sha256_add(sha256 *s, const void *data, size_t length) {
  const unsigned char *p = data;
  while (length > 0) {
    size_t used = s->length % 64, n = 64 - used < length ? 64 - used : length;
    memcpy(s->block + used, p, n);
    s->length += n;
    p += n;
    length -= n;
    if (used + n < 64) continue;
    if (s->fast)
      compress_fast(s, s->block);
    else
      compress_plain(s, s->block);
  }
}

void cps_sha256_end(sha256 *s, char hex[65]) {
  static const char digit[] = "0123456789abcdef";
  uint64_t bits = 8 * s->length;
  unsigned char pad[72] = {0x80};
  size_t n = (s->length % 64 < 56 ? 56 : 120) - s->length % 64;
  for (int i = 0; i < 8; i++) pad[n + (size_t)i] = (unsigned char)(bits >> (56 - 8 * i));
  cps_sha256_add(s, pad, n + 8);
  for (int i = 0; i < 64; i++) hex[i] = digit[s->state[i / 8] >> (28 - 4 * (i % 8)) & 15];
  hex[64] = 0;
}

void cps_sha256_hex(const void *bytes, size_t size, char hex[65]) {
  sha256 s;
  cps_sha256_start(&s);
  cps_sha256_add(&s, bytes, size);
  cps_sha256_end(&s, hex);
}
