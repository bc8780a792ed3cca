//! Dealing an amount over the goods of a line, by smallest steps, so that nothing is rounded: every step takes an equal share in
//! the grain of the amount, and the first ones one grain more. Computed by group of equal goods, not by step.

/// Goods of a line that cost the same and are in the same place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Group {
    /// Steps of the unit's smallest part; at least one.
    pub steps: i128,
    /// What one step costs, in units of the twelfth digit.
    pub step_cost: i128,
}

/// What a part of a group takes: `steps` of them `amount` each, in units of the twelfth digit.
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
/// A group makes at most two shares.
///
/// # Errors
/// No goods; numbers out of range.
pub fn raise(groups: &[Group], amount: i128, grain: i128) -> Result<Vec<Share>, Refused> {
    let steps = steps(groups.iter())?;
    if steps == 0 {
        return Err(Refused::OutOfRange);
    }
    let grains = amount / grain;
    let all = groups.iter().enumerate().map(|(at, group)| (at, group.steps, true));
    Ok(spread(all, grains / steps * grain, grains % steps, grain))
}

/// Lowers what the groups cost by `amount`, a multiple of `grain`. No step falls below zero: what it cannot give, the others
/// give in the same way, or in the finest grain where the rest is no multiple of it.
///
/// # Errors
/// More than the goods cost; numbers out of range.
pub fn lower(groups: &[Group], amount: i128, grain: i128) -> Result<Vec<Share>, Refused> {
    let mut emptied = vec![false; groups.len()];
    let mut rest = amount;
    loop {
        let alive = || groups.iter().zip(&emptied).filter(|(_, emptied)| !**emptied).map(|(group, _)| group);
        let steps = steps(alive())?;
        if steps == 0 {
            return if rest == 0 { Ok(whole(groups, &emptied)) } else { Err(Refused::ExceedsCost) };
        }
        let grain = if rest % grain == 0 { grain } else { 1 };
        let grains = rest / grain;
        let (base, extra) = (grains / steps * grain, grains % steps);
        let able = |cost: i128| alive().filter(|group| group.step_cost >= cost).map(|group| group.steps).sum::<i128>();
        let needed = if able(base) < steps {
            base
        } else if able(base + grain) < extra {
            base + grain
        } else {
            let mut shares = whole(groups, &emptied);
            let others = groups.iter().enumerate().filter(|(at, _)| !emptied.get(*at).is_some_and(|gone| *gone));
            let others = others.map(|(at, group)| (at, group.steps, group.step_cost >= base + grain));
            shares.extend(spread(others, base, extra, grain));
            return Ok(shares);
        };
        let unable = |group: &Group| group.step_cost < needed;
        let given = alive().filter(|group| unable(group)).try_fold(0_i128, |sum, group| {
            group.step_cost.checked_mul(group.steps).and_then(|given| sum.checked_add(given))
        });
        rest -= given.ok_or(Refused::OutOfRange)?;
        groups.iter().zip(&mut emptied).filter(|(group, _)| unable(group)).for_each(|(_, emptied)| *emptied = true);
    }
}

fn steps<'a>(mut groups: impl Iterator<Item = &'a Group>) -> Result<i128, Refused> {
    groups.try_fold(0_i128, |sum, group| sum.checked_add(group.steps)).ok_or(Refused::OutOfRange)
}

/// Everything that emptied groups cost.
fn whole(groups: &[Group], emptied: &[bool]) -> Vec<Share> {
    let share = |(group, of): (usize, &Group)| Share { group, steps: of.steps, amount: of.step_cost };
    groups.iter().enumerate().filter(|(at, _)| emptied.get(*at).is_some_and(|gone| *gone)).map(share).collect()
}

/// `base` for every step, and a grain more for the first `extra` of those that can take it.
fn spread(groups: impl Iterator<Item = (usize, i128, bool)>, base: i128, mut extra: i128, grain: i128) -> Vec<Share> {
    let mut shares = Vec::new();
    for (group, steps, able) in groups {
        let more = if able { extra.min(steps) } else { 0 };
        extra -= more;
        for (steps, amount) in [(more, base + grain), (steps - more, base)] {
            if steps > 0 {
                shares.push(Share { group, steps, amount });
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

    fn groups(of: &[(i128, i128)]) -> Vec<Group> {
        of.iter().map(|&(steps, step_cost)| Group { steps, step_cost }).collect()
    }

    fn shares(of: &[(usize, i128, i128)]) -> Vec<Share> {
        of.iter().map(|&(group, steps, amount)| Share { group, steps, amount }).collect()
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
        assert_eq!(lower(&groups(&[(1, 5), (2, 1)]), 5, 1), Ok(shares(&[(1, 2, 1), (0, 1, 3)])));
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
            let of: Vec<Group> =
                (0..count).map(|_| Group { steps: 1 + dice.below(6), step_cost: dice.below(40) }).collect();
            let worth: i128 = of.iter().map(|group| group.steps * group.step_cost).sum();
            let amount = dice.below(200) * grain;
            for (dealt, lowers) in [(raise(&of, amount, grain), false), (lower(&of, amount, grain), true)] {
                if lowers && amount > worth {
                    assert_eq!(dealt, Err(Refused::ExceedsCost));
                    continue;
                }
                let dealt = dealt.unwrap();
                assert_eq!(dealt.iter().map(|share| share.steps * share.amount).sum::<i128>(), amount);
                for (at, group) in of.iter().enumerate() {
                    let parts: Vec<&Share> = dealt.iter().filter(|share| share.group == at).collect();
                    assert!(parts.len() <= 2 && !parts.is_empty());
                    assert_eq!(parts.iter().map(|share| share.steps).sum::<i128>(), group.steps);
                    assert!(!lowers || parts.iter().all(|share| (0..=group.step_cost).contains(&share.amount)));
                }
            }
        }
    }
}
