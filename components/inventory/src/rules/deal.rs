//! Dealing an amount over the goods of a line, by smallest steps, so that nothing is rounded: every step takes an equal share in
//! the grain of the amount, and the first ones one grain more. Computed by group of equal goods, not by step.

use stoa_trade::quantity::gcd;

/// Goods of a line that cost the same and are in the same place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Group {
    /// Steps of the unit's smallest part; at least one.
    pub steps: i128,
    /// Cost of one step, in units of the twelfth digit.
    pub step_cost: i128,
}

/// The share of a part of a group: `amount` for each of `steps` steps, in units of the twelfth digit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Share {
    pub group: usize,
    pub steps: i128,
    pub amount: i128,
}

/// Why an amount cannot be dealt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refused {
    /// A reduction of more than the goods cost.
    ExceedsCost,
    /// Beyond the range of numbers.
    OutOfRange,
}

/// Raises what the groups cost by `amount`, a multiple of `grain`; the groups in the order in which they take the odd grains.
/// Every group makes one share or two, in the order of the groups.
///
/// # Errors
/// `OutOfRange` if there are no groups.
pub fn raise(groups: &[Group], amount: i128, grain: i128) -> Result<Vec<Share>, Refused> {
    if groups.is_empty() {
        return Err(Refused::OutOfRange);
    }
    let unbounded: Vec<(i128, i128)> = groups.iter().map(|group| (group.steps, i128::MAX)).collect();
    Ok(even(&unbounded, amount / grain, |_, grains| grains * grain))
}

/// Lowers what the groups cost by `amount`, a multiple of `grain`; shares as those of `raise`. No step falls below
/// zero: the others give the rest in the same way. Shares are whole grains as long as the goods have whole ones to
/// give; only what is asked beyond them is taken from what is finer, in the coarsest grain of all the costs.
///
/// # Errors
/// `ExceedsCost` if the amount is more than the goods cost.
pub fn lower(groups: &[Group], amount: i128, grain: i128) -> Result<Vec<Share>, Refused> {
    // Saturation is harmless: an amount is far below it.
    let worth = |cost: fn(i128, i128) -> i128| {
        let each = groups.iter().map(|group| group.steps.saturating_mul(cost(group.step_cost, grain)));
        each.fold(0, i128::saturating_add)
    };
    let whole = |cost: i128, grain: i128| cost - cost % grain;
    if amount > worth(|cost, _| cost) {
        return Err(Refused::ExceedsCost);
    }
    let in_grains = worth(whole);
    if amount <= in_grains {
        let most: Vec<(i128, i128)> = groups.iter().map(|group| (group.steps, group.step_cost / grain)).collect();
        return Ok(even(&most, amount / grain, |_, grains| grains * grain));
    }
    let finer = groups.iter().fold(grain, |common, group| gcd(common, group.step_cost));
    let most: Vec<(i128, i128)> = groups.iter().map(|group| (group.steps, group.step_cost % grain / finer)).collect();
    let given = |nth: usize| groups.get(nth).map_or(0, |group| whole(group.step_cost, grain));
    Ok(even(&most, (amount - in_grains) / finer, |nth, grains| given(nth) + grains * finer))
}

/// Deals `grains` over groups of steps, each with the most that one of them can take, which together is enough. Every step takes
/// the same, and the first ones that can one more; who can take less takes all it can, and the others the rest. `amount`: of a
/// step in this group that takes so many grains.
fn even(groups: &[(i128, i128)], grains: i128, amount: impl Fn(usize, i128) -> i128) -> Vec<Share> {
    let mut full = vec![false; groups.len()];
    let mut rest = grains;
    let (base, mut extra) = loop {
        let open = || groups.iter().zip(&full).filter(|(_, full)| !**full).map(|(group, _)| *group);
        let steps: i128 = open().map(|(steps, _)| steps).sum();
        if steps == 0 {
            break (0, 0);
        }
        let (base, extra) = (rest / steps, rest % steps);
        let able: i128 = open().filter(|(_, most)| *most > base).map(|(steps, _)| steps).sum();
        let too_poor = |most: i128| most < base || (most == base && able < extra);
        let given: i128 = open().filter(|(_, most)| too_poor(*most)).map(|(steps, most)| steps * most).sum();
        if !open().any(|(_, most)| too_poor(most)) {
            break (base, extra);
        }
        rest -= given;
        groups.iter().zip(&mut full).filter(|((_, most), _)| too_poor(*most)).for_each(|(_, full)| *full = true);
    };
    let mut shares = Vec::new();
    for (group, (&(steps, most), full)) in groups.iter().zip(full).enumerate() {
        let odd = if full || most <= base { 0 } else { extra.min(steps) };
        extra -= odd;
        let each = if full { most } else { base };
        for (steps, grains) in [(odd, each + 1), (steps - odd, each)] {
            if steps > 0 {
                shares.push(Share { group, steps, amount: amount(group, grains) });
            }
        }
    }
    shares
}

#[cfg(test)]
mod tests {
    use super::*;

    const MILLIONTH: i128 = 1_000_000;
    const ONE: i128 = 1_000_000_000_000;

    fn groups(pairs: &[(i128, i128)]) -> Vec<Group> {
        pairs.iter().map(|&(steps, step_cost)| Group { steps, step_cost }).collect()
    }

    fn shares(triples: &[(usize, i128, i128)]) -> Vec<Share> {
        triples.iter().map(|&(group, steps, amount)| Share { group, steps, amount }).collect()
    }

    #[test]
    fn the_first_steps_take_the_odd_grains() {
        // [E67]: 10 off 3 pieces at 33.333333, of which one was sold.
        let three = groups(&[(1, 33_333_333 * MILLIONTH), (2, 33_333_333 * MILLIONTH)]);
        let dealt = shares(&[(0, 1, 3_333_334 * MILLIONTH), (1, 2, 3_333_333 * MILLIONTH)]);
        assert_eq!(lower(&three, 10 * ONE, MILLIONTH), Ok(dealt));
        // [E122]: 10 on 3 pieces.
        let dealt = shares(&[(0, 1, 3_333_334 * MILLIONTH), (0, 2, 3_333_333 * MILLIONTH)]);
        assert_eq!(raise(&groups(&[(3, 0)]), 10 * ONE, MILLIONTH), Ok(dealt));
        // [E69]: 10 on 25 steps.
        assert_eq!(raise(&groups(&[(25, ONE)]), 10 * ONE, MILLIONTH), Ok(shares(&[(0, 25, 400_000 * MILLIONTH)])));
    }

    #[test]
    fn what_a_step_cannot_give_the_others_give() {
        // 7 off goods at 5 and 1: the dear one gives 5, the two others 1 each, which is all.
        assert_eq!(lower(&groups(&[(1, 5), (2, 1)]), 7, 1), Ok(shares(&[(0, 1, 5), (1, 2, 1)])));
        assert_eq!(lower(&groups(&[(1, 5), (2, 1)]), 8, 1), Err(Refused::ExceedsCost));
        assert_eq!(lower(&groups(&[(1, 5), (2, 1)]), 5, 1), Ok(shares(&[(0, 1, 3), (1, 2, 1)])));
        // Costs finer than the grain: whole grains first, and what is asked beyond them evenly from the rest.
        assert_eq!(lower(&groups(&[(1, 25), (1, 9)]), 20, 10), Ok(shares(&[(0, 1, 20), (1, 1, 0)])));
        assert_eq!(lower(&groups(&[(1, 25), (5, 9)]), 30, 10), Ok(shares(&[(0, 1, 22), (1, 3, 2), (1, 2, 1)])));
        assert_eq!(lower(&[], 0, 1), Ok(Vec::new()));
        assert_eq!(raise(&[], 1, 1), Err(Refused::OutOfRange));
    }

    /// Small numbers that are the same in every run.
    struct Dice(u64);

    impl Dice {
        fn below(&mut self, most: u64) -> i128 {
            self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            i128::from((self.0 >> 33) % most)
        }
    }

    #[test]
    fn every_deal_adds_up_and_nothing_falls_below_zero() {
        let mut dice = Dice(4);
        for round in 0..20_000_u64 {
            let grain = [1, 3, 10][(round % 3) as usize];
            let count = 1 + dice.below(5);
            let goods: Vec<Group> =
                (0..count).map(|_| Group { steps: 1 + dice.below(6), step_cost: dice.below(40) }).collect();
            let worth: i128 = goods.iter().map(|group| group.steps * group.step_cost).sum();
            let amount = dice.below(200) * grain;
            for (dealt, lowers) in [(raise(&goods, amount, grain), false), (lower(&goods, amount, grain), true)] {
                if lowers && amount > worth {
                    assert_eq!(dealt, Err(Refused::ExceedsCost));
                    continue;
                }
                let dealt = dealt.unwrap();
                assert_eq!(dealt.iter().map(|share| share.steps * share.amount).sum::<i128>(), amount);
                for (index, group) in goods.iter().enumerate() {
                    let parts: Vec<&Share> = dealt.iter().filter(|share| share.group == index).collect();
                    assert!(parts.len() <= 2 && !parts.is_empty());
                    assert_eq!(parts.iter().map(|share| share.steps).sum::<i128>(), group.steps);
                    assert!(!lowers || parts.iter().all(|share| (0..=group.step_cost).contains(&share.amount)));
                }
                // No share gives two grains less than another one that had a whole grain left to give.
                let most = dealt.iter().map(|share| share.amount).max().unwrap_or_default();
                let left = |share: &Share| goods[share.group].step_cost - share.amount;
                let spared = dealt.iter().filter(|share| share.amount + grain < most);
                assert!(lowers && amount > 0 || spared.clone().count() == 0);
                assert!(spared.into_iter().all(|share| left(share) < grain), "{goods:?} {amount} {grain} {dealt:?}");
            }
        }
    }
}
