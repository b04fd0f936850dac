import fc from 'fast-check';

/**
 * The suite draws the same generated cases each time, so that the checkout that passed here passes in CI. New cases are
 * the soak's business; `FC_SEED=$RANDOM npm test` draws others, and a failing case is kept as a test of its own.
 */
fc.configureGlobal({ seed: Number(process.env.FC_SEED ?? 20_261_130) });
