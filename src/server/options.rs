//! What the options are set to, for clients that show it before they ask: a route for each line of
//! [`views_of_options`].

use actix_web::web;
use utoipa_actix_web::service_config::ServiceConfig;

macro_rules! routes {
    ($($route:ident $path:tt, $tag:tt: $root:ident $folder:ident $view:ident, $about:tt;)*) => {
        $(
            #[doc = $about]
            #[utoipa::path(tag = $tag, responses(
                (status = 200, body = $root::$folder::view::$view), (status = 401, body = ProblemBody)))]
            #[get($path)]
            async fn $route(
                app: web::Data<App>,
                caller: Caller,
            ) -> Result<web::Json<$root::$folder::view::$view>, Problem> {
                caller.may(Permission::Read)?;
                let (settings, _) = app.settings(&caller.scope()).await?;
                Ok(web::Json($root::$folder::view::$view::of(&settings)))
            }
        )*

        pub(super) fn served(routes: &mut web::ServiceConfig) {
            $(routes.service($route);)*
        }

        pub(super) fn documented(routes: &mut ServiceConfig<'_>) {
            $(routes.service($route);)*
        }
    };
}

mod of_options {
    use actix_web::{get, web};
    use utoipa_actix_web::service_config::ServiceConfig;

    use crate::council::features::views_of_options;
    use crate::council::options;
    use crate::identity::Permission;
    use crate::server::app::App;
    use crate::server::extract::Caller;
    use crate::server::problem::{Problem, ProblemBody};

    views_of_options!(routes);
}

mod of_formats {
    use actix_web::{get, web};
    use utoipa_actix_web::service_config::ServiceConfig;

    use crate::council::formats;
    use crate::council::formats::views_of_formats;
    use crate::identity::Permission;
    use crate::server::app::App;
    use crate::server::extract::Caller;
    use crate::server::problem::{Problem, ProblemBody};

    views_of_formats!(routes);
}

/// Serves the routes of all options and formats.
pub(super) fn served(routes: &mut web::ServiceConfig) {
    of_options::served(routes);
    of_formats::served(routes);
}

/// Collects their part of the OpenAPI document.
pub(super) fn documented(routes: &mut ServiceConfig<'_>) {
    of_options::documented(routes);
    of_formats::documented(routes);
}
