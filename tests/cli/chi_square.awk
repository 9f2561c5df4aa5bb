# chi_square.awk - compares how often tokens were drawn with their probabilities, for sampling.bats.
# Input: a file with lines "TOKEN LOG-PROBABILITY", best first, and a file with lines "COUNT TOKEN".
# The variable filter has the options of the draws. Fails with a message if the counts do not fit.
FNR == NR { token[++n] = $1; p[n] = exp($2); next }
{ seen[$2] = $1; draws += $1 }

function keep(i, best, before) {
    if (filter ~ /top-k/) return i <= value
    if (filter ~ /top-p/) return before < value
    if (filter ~ /min-p/) return p[i] >= value * best
    return 1
}

END {
    split(filter, words, " ")
    value = words[2]
    for (i = 1; i <= n; i++) { # the end token cannot be drawn
        if (filter ~ /temperature/) p[i] = p[i] ^ (1 / value)
        all += p[i]
    }
    for (i = 1; i <= n; i++) p[i] /= all
    for (i = 1; i <= n; i++) {
        if (!keep(i, p[1], sum)) break
        sum += p[i]
        kept = i
    }
    for (i = 1; i <= kept; i++) {
        expected = draws * p[i] / sum
        if (expected < 8) { # rare tokens count together
            rare += expected
            rare_seen += seen[token[i]]
        } else {
            chi += (seen[token[i]] - expected) ^ 2 / expected
            freedom++
        }
        counted += seen[token[i]]
    }
    if (rare > 0) {
        chi += (rare_seen - rare) ^ 2 / rare
        freedom++
    }
    freedom--
    # Wilson and Hilferty: the limit that one of a thousand exceeds
    limit = freedom > 0 ? freedom * (1 - 2 / (9 * freedom) + 3.09 * sqrt(2 / (9 * freedom))) ^ 3 : 0.001
    printf "# %s: %d draws, %d tokens, chi-square %.1f, limit %.1f\n", filter, draws, kept, chi, limit
    if (draws != 10000 || counted != draws || chi > limit) {
        print "the counts do not fit"
        exit 1
    }
}
